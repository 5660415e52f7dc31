/** Sends ARP replies of many hosts on an interface: `bun bench/listen-storm.ts LINK RATE SECONDS`. Needs CAP_NET_RAW. For listen.ts. */
import { getInterfaceNumber } from '../src/scanner/sweeps/links.ts'
import { AF_PACKET, openLibc, SOCK_CLOEXEC, SOCK_RAW } from '../src/scanner/sys/libc.ts'

const [link = '', rate = '5000', seconds = '60'] = process.argv.slice(2)
const c = openLibc()
if (!c) throw new Error('there is no C library')
const fd = c.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)
if (fd < 0) throw new Error('a packet socket takes CAP_NET_RAW')
const address = Buffer.alloc(20)
address.writeUInt16LE(AF_PACKET, 0)
address.writeInt32LE(getInterfaceNumber(c, link), 4)

const frame = Buffer.from(
  'ffffffffffff001b210010000806000108000604000200 1b21001000c6120700ffffffffffffc6120700'.replaceAll(' ', ''),
  'hex',
)
const HOSTS = 200
const FIRST_HOST = 20
const TICK_MS = 5
const perTick = (Number(rate) * TICK_MS) / 1000
let sent = 0
const beganMs = performance.now()
while (performance.now() - beganMs < Number(seconds) * 1000) {
  const due = ((performance.now() - beganMs) / TICK_MS) * perTick
  for (; sent < due; sent++) {
    const host = FIRST_HOST + (sent % HOSTS)
    frame[11] = host
    frame[27] = host
    frame[31] = host
    c.sendto(fd, frame, frame.length, 0, address, address.length)
  }
  await Bun.sleep(TICK_MS)
}
process.stdout.write(`sent ${sent}\n`)
