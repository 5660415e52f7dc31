/** The default TCP ports of a scan. Pure. */

/**
 * A hundred ports in use in real networks, the most likely first: a host that drops everything is abandoned after the
 * first few. Our own selection: remote access, web and its management variants, file and print, mail, names and
 * directory, databases and queues, virtualization and containers, monitoring, phones and cameras, network devices, and
 * services of old systems.
 */
export const COMMON_PORTS: readonly number[] = [
  443, 22, 80, 445, 3389, 8080, 8443, 135, 139, 53, 23, 21, 25, 111, 5900, 3306, 5432, 8000, 8008, 8081, 9100, 631, 389,
  88, 5985, 9090, 10_000, 2049, 548, 1433, 6379, 8006, 161, 179, 515, 554, 587, 110, 143, 993, 995, 465, 636, 3268,
  1521, 27_017, 9200, 5601, 11_211, 5672, 1883, 2379, 6443, 10_250, 2375, 2376, 8086, 3000, 8088, 8888, 5000, 5001,
  9000, 9443, 8500, 902, 623, 830, 8291, 8728, 4786, 2000, 5060, 5222, 3128, 3260, 873, 1723, 1194, 2222, 5555, 4505,
  4506, 5986, 7001, 5353, 427, 502, 102, 113, 79, 37, 13, 7, 513, 514, 6667, 119, 1900, 1025,
]
