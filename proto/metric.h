/*
 * metric: every series that an agent may send, declared once: id, name, unit, layer, kind and meaning. No row, no series; the report
 * and the documentation are made from this table.
 *
 * Ids are part of the wire and of stored runs: never reuse one; add at the end of its group.
 */
#ifndef NL_PROTO_METRIC_H
#define NL_PROTO_METRIC_H

#include <stddef.h>
#include <stdint.h>

enum nl_metric_kind {
	NL_METRIC_COUNTER, /* only rises; a fall is a restart or a wrap */
	NL_METRIC_GAUGE,
};

/* X(id, symbol, name, unit, layer, kind, meaning) */
#define NL_METRICS(X)                                                                                                  \
	X(1, STREAM_BYTES, "stream.bytes", "B", "application", COUNTER, "bytes that one load stream has moved")        \
	X(2, STREAM_OPERATIONS, "stream.operations", "1", "application", COUNTER, "operations that one load stream has completed") \
	X(3, LINE_BYTES, "line.bytes", "B", "application", COUNTER, "bytes that the raw TCP test has received at this end")   \
	X(10, DISK_READ_BYTES, "disk.read_bytes", "B", "disk", COUNTER, "bytes read from the disk")                      \
	X(11, DISK_WRITE_BYTES, "disk.write_bytes", "B", "disk", COUNTER, "bytes written to the disk")                   \
	X(12, DISK_READS, "disk.reads", "1", "disk", COUNTER, "reads completed by the disk")                           \
	X(13, DISK_WRITES, "disk.writes", "1", "disk", COUNTER, "writes completed by the disk")                        \
	X(14, DISK_BUSY_NS, "disk.busy", "ns", "disk", COUNTER, "time with at least one request in flight")             \
	X(15, DISK_QUEUE_NS, "disk.queue_time", "ns", "disk", COUNTER, "request time summed over requests in flight")   \
	X(16, DISK_FLUSHES, "disk.flushes", "1", "disk", COUNTER, "cache flushes completed by the disk")               \
	X(20, NIC_RECEIVED_BYTES, "nic.received_bytes", "B", "nic", COUNTER, "bytes received by the interface, headers included") \
	X(21, NIC_SENT_BYTES, "nic.sent_bytes", "B", "nic", COUNTER, "bytes sent by the interface, headers included")   \
	X(22, NIC_RECEIVED_PACKETS, "nic.received_packets", "1", "nic", COUNTER, "packets received")                   \
	X(23, NIC_SENT_PACKETS, "nic.sent_packets", "1", "nic", COUNTER, "packets sent")                               \
	X(24, NIC_RECEIVE_DROPS, "nic.receive_drops", "1", "nic", COUNTER, "received packets dropped")                 \
	X(25, NIC_SEND_DROPS, "nic.send_drops", "1", "nic", COUNTER, "packets dropped before sending")                 \
	X(30, CPU_USER_NS, "cpu.user", "ns", "cpu", COUNTER, "time of one core in user space, nice included")          \
	X(31, CPU_SYSTEM_NS, "cpu.system", "ns", "cpu", COUNTER, "time of one core in the kernel")                     \
	X(32, CPU_IDLE_NS, "cpu.idle", "ns", "cpu", COUNTER, "time of one core idle, waiting for I/O included")        \
	X(33, CPU_SOFTIRQ_NS, "cpu.softirq", "ns", "cpu", COUNTER, "time of one core in interrupts, hard and soft")    \
	X(34, CPU_STEAL_NS, "cpu.steal", "ns", "cpu", COUNTER, "time that the hypervisor took from one core")          \
	X(40, MEMORY_AVAILABLE_BYTES, "memory.available", "B", "memory", GAUGE, "memory available without swapping")   \
	X(41, MEMORY_CACHED_BYTES, "memory.cached", "B", "memory", GAUGE, "page cache")                                \
	X(42, MEMORY_DIRTY_BYTES, "memory.dirty", "B", "memory", GAUGE, "page cache not yet written back")             \
	X(43, MEMORY_WRITEBACK_BYTES, "memory.writeback", "B", "memory", GAUGE, "page cache being written back")       \
	X(50, NFS_READ_BYTES, "nfs.read_bytes", "B", "client", COUNTER, "bytes that the NFS client read from the server") \
	X(51, NFS_WRITE_BYTES, "nfs.write_bytes", "B", "client", COUNTER, "bytes that the NFS client wrote to the server") \
	X(52, NFS_READS, "nfs.reads", "1", "client", COUNTER, "READ calls completed")                                  \
	X(53, NFS_WRITES, "nfs.writes", "1", "client", COUNTER, "WRITE calls completed")                               \
	X(54, NFS_RTT_NS, "nfs.rtt", "ns", "client", COUNTER, "time between sending READ and WRITE calls and their replies, summed") \
	X(55, NFS_QUEUE_NS, "nfs.queue", "ns", "client", COUNTER, "time READ and WRITE calls waited before sending, summed") \
	X(56, NFS_RETRANSMITS, "nfs.retransmits", "1", "client", COUNTER, "calls sent more than once")                 \
	X(60, SMB_READ_BYTES, "smb.read_bytes", "B", "client", COUNTER, "bytes that the SMB client read from the share") \
	X(61, SMB_WRITE_BYTES, "smb.write_bytes", "B", "client", COUNTER, "bytes that the SMB client wrote to the share") \
	X(62, SMB_READS, "smb.reads", "1", "client", COUNTER, "SMB reads")                                             \
	X(63, SMB_WRITES, "smb.writes", "1", "client", COUNTER, "SMB writes")                                          \
	X(70, NFSD_READ_BYTES, "nfsd.read_bytes", "B", "server", COUNTER, "bytes that the kernel NFS server read for clients") \
	X(71, NFSD_WRITE_BYTES, "nfsd.write_bytes", "B", "server", COUNTER, "bytes that the kernel NFS server wrote for clients") \
	X(80, AGENT_CPU_NS, "agent.cpu", "ns", "agent", COUNTER, "CPU time of the agent itself")

enum nl_metric_id {
	NL_METRIC_NONE = 0,
#define NL_X(id, symbol, name, unit, layer, kind, meaning) NL_METRIC_##symbol = id,
	NL_METRICS(NL_X)
#undef NL_X
};

struct nl_metric {
	enum nl_metric_id id;
	enum nl_metric_kind kind;
	const char *name, *unit, *layer, *meaning;
};

/* nl_metric_find: the row of an id, NULL when there is none. */
const struct nl_metric *nl_metric_find(uint32_t id);
/* nl_metric_rows: the whole table. */
const struct nl_metric *nl_metric_rows(size_t *count);

#endif
