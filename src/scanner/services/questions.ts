/** Probes for services that send nothing first. Data; one harmless probe for each kind. */

/** They print, switch or count whatever they are sent: nothing is ever sent to these. */
export const NEVER_ASKED: ReadonlySet<number> = new Set([
  // Raw printing and LPD.
  515, 9100, 9101, 9102, 9103, 9104, 9105, 9106, 9107,
  // Controls of plants and buildings: S7, Modbus, DNP3, EtherNet/IP, BACnet, IEC 104, Niagara.
  102, 502, 20_000, 44_818, 47_808, 2404, 1911, 4911,
  // Skinny phones restart on unknown messages.
  2000,
])

/** TLS from the first byte on. */
export const TLS_PORTS: ReadonlySet<number> = new Set([
  443, 465, 636, 993, 995, 2376, 3269, 4443, 5061, 5986, 6443, 8006, 8443, 8883, 9443, 10_250, 16_993,
])

/** HTTP from the first byte on, so that waiting for a banner is time lost. */
export const HTTP_PORTS: ReadonlySet<number> = new Set([
  80, 81, 591, 631, 2375, 3000, 3128, 5000, 5001, 5601, 5985, 7001, 8000, 8008, 8080, 8081, 8086, 8088, 8500, 8888,
  9000, 9090, 9200, 10_000,
])

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** RFC 1035 section 4.2.2: over TCP with its length before it. `version.bind TXT CH`. */
const VERSION_BIND = hex('001e 504c 0000 0001 0000 0000 0000 07 76657273696f6e 04 62696e64 00 0010 0003')
/** A connection request as [MS-RDPBCGR] 2.2.1.1 with any security. */
const RDP = hex('0300 0013 0e e0 0000 0000 00 01 00 0800 0b000000')
/** PostgreSQL: SSLRequest. */
const POSTGRES = hex('00000008 04d2162f')
/** Negotiate of SMB 2 ([MS-SMB2] 2.2.3) with the dialects 2.0.2 and 2.1, in its NetBIOS frame. */
const SMB = hex(
  '00000068 fe534d42 4000 0000 00000000 0000 0000 00000000 00000000 0000000000000000 00000000 00000000 0000000000000000 00000000000000000000000000000000 2400 0200 0100 0000 00000000 504c41542d444953434f5645525931 00 0000000000000000 0202 1002',
)
/** Searches the root DSE of the directory (RFC 4512 section 5.1). */
const LDAP = hex('3025 020101 6320 0400 0a0100 0a0100 020100 020100 010100 870b 6f626a656374436c617373 3000')
/** `hello` of MongoDB as OP_MSG. */
const MONGO_BODY = hex('00000000 00 23000000 01 68656c6c6f00 000000000000f03f 02 24646200 06000000 61646d696e00 00')
const MONGO = Buffer.concat([
  hex(`${(16 + MONGO_BODY.length).toString(16).padStart(2, '0')}000000 01000000 00000000 dd070000`),
  MONGO_BODY,
])
/** MQTT 3.1.1 CONNECT with a clean session and no name. */
const MQTT = hex('10 0c 0004 4d515454 04 02 003c 0000')
const SIP = (ip: string): Buffer =>
  Buffer.from(
    `OPTIONS sip:${ip} SIP/2.0\r\nVia: SIP/2.0/TCP plat;branch=z9hG4bKplat\r\nMax-Forwards: 0\r\nFrom: <sip:plat@plat>;tag=plat\r\nTo: <sip:${ip}>\r\nCall-ID: plat\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
  )

/** Probes by port; other ports get an HTTP request for `/`. */
export const QUESTIONS: Readonly<Record<number, (ip: string) => Buffer>> = {
  53: () => VERSION_BIND,
  389: () => LDAP,
  445: () => SMB,
  554: (ip) => Buffer.from(`OPTIONS rtsp://${ip}/ RTSP/1.0\r\nCSeq: 1\r\n\r\n`),
  636: () => LDAP,
  1883: () => MQTT,
  2181: () => Buffer.from('srvr'),
  3268: () => LDAP,
  3389: () => RDP,
  5060: SIP,
  5432: () => POSTGRES,
  5672: () => Buffer.from('AMQP\0\0\x09\x01', 'latin1'),
  6379: () => Buffer.from('INFO server\r\n'),
  8883: () => MQTT,
  8554: (ip) => Buffer.from(`OPTIONS rtsp://${ip}/ RTSP/1.0\r\nCSeq: 1\r\n\r\n`),
  11211: () => Buffer.from('version\r\n'),
  27017: () => MONGO,
}
