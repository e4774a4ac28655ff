# Writes OUT, a C file with every preset (INPUTS, separated by |) as bytes, so that the program needs no data files.
string(REPLACE "|" ";" inputs "${INPUTS}")
set(arrays "")
set(rows "")
foreach(input ${inputs})
  get_filename_component(name ${input} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${input} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${symbol}[] = {${bytes}0};\n")
  string(APPEND rows "\t{\"${name}\", (const char *)text_${symbol}, sizeof text_${symbol} - 1},\n")
endforeach()
file(WRITE ${OUT}.new
  "/* Made by embed.cmake from the presets. */\n#include \"controller/campaign/preset.h\"\n\n${arrays}\n"
  "const struct nl_preset nl_presets[] = {\n${rows}};\n"
  "const size_t nl_preset_count = sizeof nl_presets / sizeof nl_presets[0];\n")
file(RENAME ${OUT}.new ${OUT})
