/** The number of bytes that the system reports in the queue of a connection. */
import { afterEach, expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { until } from '../../../../testing/until.ts'
import { type Connection, parseTable, readUnacknowledged } from './unacknowledged.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 194417 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:B158 01 002C8212:00000000 04:00000036 00000000     0        1 194515 2 0 20 4 31 16 8
   2: 0100007F:B158 0100007F:1F90 01 00000000:0003FE00 00:00000000 00000000     0        0 194514 1 0 20 8 0 11 -1
   3: 0100007F:1F91 0100007F:B158 01 00000099:00000000 04:00000036 00000000     0        1 194516 2 0 20 4 31 16 8
`
const TABLE6 = `   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200000A:C001 01 00000010:00000000 00:0 0 0 0 1
   2: 00000000000000000000000001000000:1F90 000000000000000000000000010000FE:C002 01 00000020:00000000 00:0 0 0 0 1
`

test.each([
  ['IPv4, of this port alone', TABLE, [[`${0xffff_7f00_0001n} 45400 8080`, 0x2c8212]]],
  [
    'IPv6, where IPv4 is mapped',
    TABLE6,
    [
      [`${0xffff_0a00_0002n} 49153 8080`, 0x10],
      [`${0xfe00_0001n} 49154 8080`, 0x20],
    ],
  ],
])('a table of the kernel: %s', (_, table, expected) => {
  expect([...parseTable(table, 8080)]).toEqual(expected as [string, number][])
})

const open: (Socket | Server)[] = []
afterEach(() => {
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close()
})

/** A connection over loopback; `sender` has sent 16 MB to it. */
const unread = async (): Promise<{ connection: Connection; reader: Socket }> => {
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer({ pauseOnConnect: true }, accepted.resolve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const reader = connect(address.port, '127.0.0.1').pause()
  const sender = await accepted.promise
  open.push(server, reader, sender)
  sender.on('error', () => {})
  sender.write(new Uint8Array(16 * 1024 * 1024))
  return {
    connection: { address: '127.0.0.1', port: sender.remotePort ?? 0, localPort: address.port },
    reader,
  }
}

test.skipIf(process.platform !== 'linux')('a client that does not read has bytes waiting for it', async () => {
  const { connection } = await unread()
  const waiting = await until('bytes that wait', async () => {
    const found = (await readUnacknowledged(connection.localPort))(connection)
    return found === undefined || found === 0 ? undefined : found
  })
  expect(waiting).toBeGreaterThan(0)
})

test.skipIf(process.platform !== 'linux')('a connection that is not there has none', async () => {
  const { connection } = await unread()
  expect((await readUnacknowledged(connection.localPort))({ ...connection, port: 1 })).toBe(0)
})
