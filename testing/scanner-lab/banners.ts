/** Servers of the lab that only send a banner. Runs in the namespace of the hosts until it is killed. */
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { answers, greets } from '../../src/scanner/testing/listeners.ts'

type Talk = (socket: Socket) => void

const replies =
  (reply: (data: Buffer) => string | Uint8Array): Talk =>
  (socket) => {
    socket.on('data', (data: Buffer) => socket.write(reply(data)))
  }
const silent: Talk = () => {}

const page = (host: number): string =>
  `HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nConnection: close\r\n\r\n<html><head><title>Device ${host} admin</title></head></html>`

const TELNET = Uint8Array.from([
  255,
  253,
  24,
  255,
  251,
  1,
  ...Buffer.from('\r\nUser Access Verification\r\n\r\nUsername: '),
])
const MYSQL = Uint8Array.from([0x4a, 0, 0, 0, 10, ...Buffer.from('8.0.36-0ubuntu0.22.04.1\0'), ...Buffer.alloc(50)])
const RDP = Uint8Array.from([3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0x1f, 8, 0, 2, 0, 0, 0])
const SMB = Uint8Array.from([0, 0, 0, 8, 0xfe, 0x53, 0x4d, 0x42, 0x40, 0, 0, 0])

const SSL_REQUEST = 80_877_103

export const BANNERS: readonly (readonly [host: number, port: number, talk: Talk])[] = [
  ...[20, 21, 22, 23, 24].map((host) => [host, 80, answers(page(host))] as const),
  [25, 8080, answers('HTTP/1.0 200 OK\r\nServer: SimpleHTTP/0.6 Python/3.11.2\r\n\r\n<title>files</title>')],
  [26, 8080, answers('HTTP/1.1 403 Forbidden\r\nX-Jenkins: 2.440.1\r\n\r\n')],
  [41, 21, greets('220 ProFTPD 1.3.7a Server (Lab) [198.18.0.41]\r\n')],
  [42, 25, greets('220 mail.lab.example ESMTP Postfix (Debian/GNU)\r\n')],
  [43, 23, greets(TELNET)],
  [44, 3306, greets(MYSQL)],
  [45, 6379, replies(() => '-NOAUTH Authentication required.\r\n')],
  [46, 5432, replies((data) => (data.length >= 8 && data.readUInt32BE(4) === SSL_REQUEST ? 'N' : 'E'))],
  // A raw printer sends nothing, and must receive nothing.
  [47, 9100, silent],
  [48, 22, greets('SSH-2.0-dropbear_2022.83\r\n')],
  [49, 22, greets('SSH-2.0-Cisco-1.25\r\n')],
  [50, 3389, replies(() => RDP)],
  [50, 445, replies(() => SMB)],
  [50, 139, silent],
  [51, 2222, greets('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u2\r\n')],
  [
    52,
    80,
    answers(
      'HTTP/1.1 401 Unauthorized\r\nServer: HP HTTP Server; HP LaserJet\r\nWWW-Authenticate: Basic realm="iLO"\r\n\r\n',
    ),
  ],
  [53, 5900, greets('RFB 003.008\n')],
  [54, 1883, replies(() => Uint8Array.from([0x20, 2, 0, 5]))],
  [57, 443, silent],
]

/** Each with a different certificate. */
export const TLS_HOSTS: readonly number[] = [20, 21, 22, 23, 24]

const open = (host: number, port: number, talk: Talk): void => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    talk(socket)
  })
  server.listen({ port, host: `198.18.0.${host}`, backlog: 511 })
}

const openTls = (host: number, { key, cert }: { key: string; cert: string }): void => {
  const server = createTlsServer({ key, cert }, (socket) => {
    socket.on('error', () => {})
    answers(page(host))(socket)
  })
  server.on('tlsClientError', () => {})
  server.listen(443, `198.18.0.${host}`)
}

if (import.meta.main) {
  // The lab passes the keys that it has generated with openssl.
  const keys = JSON.parse(await Bun.stdin.text()) as Readonly<Record<string, { key: string; cert: string }>>
  for (const [host, port, talk] of BANNERS) open(host, port, talk)
  for (const [host, pair] of Object.entries(keys)) openTls(Number(host), pair)
}
