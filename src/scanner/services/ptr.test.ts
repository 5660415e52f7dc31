/** Names of hosts, asked of a name server of the test's own. */
import { afterEach, expect, test } from 'bun:test'
import { createSocket, type Socket } from 'node:dgram'
import { openTargets } from '../targets.ts'
import { createNameService, type NameService } from './ptr.ts'

const SUBNET = '127.30.0.0/28'
const HEADER_BYTES = 12

/** The labels of a name, as they stand in a message (RFC 1035, 3.1). */
const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

/** One PTR record, of the name that was asked for (RFC 1035, 4.1). */
const answerTo = (query: Buffer, name: string): Buffer => {
  const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5)
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
  const data = labels(name)
  return Buffer.concat([header, question, Buffer.from([0xc0, 0x0c, 0, 12, 0, 1, 0, 0, 0, 60, 0, data.length]), data])
}

let server: Socket | undefined
let names: NameService | undefined
afterEach(() => {
  names?.close()
  server?.close()
})

const serve = async (answers: boolean): Promise<string> => {
  const socket = createSocket('udp4')
  server = socket
  socket.on('message', (query, { port, address }) => {
    if (answers) socket.send(answerTo(query, 'till-7.lab.example'), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return `127.0.0.1:${socket.address().port}`
}

const asking = async ({ answers, patienceMs }: { answers: boolean; patienceMs: number }) => {
  const told: (readonly [number, string])[] = []
  const service = createNameService({
    targets: openTargets(SUBNET, []),
    servers: [await serve(answers)],
    patienceMs,
    onName: (index, name) => told.push([index, name]),
    onGivenUp: () => {},
  })
  names = service
  for (const index of [1, 2, 3]) service.ask(index)
  return { told, service }
}

test('a name is reported with its host', async () => {
  const { told, service } = await asking({ answers: true, patienceMs: 10_000 })
  await service.settle(new AbortController().signal)
  expect(told.toSorted(([a], [b]) => a - b)).toEqual([1, 2, 3].map((index) => [index, 'till-7.lab.example']))
})

test('no name is missing when all are answered', async () => {
  const { service } = await asking({ answers: true, patienceMs: 10_000 })
  expect(await service.settle(new AbortController().signal)).toBe(0)
})

test('a slow server delays the scan for a bounded time', async () => {
  const { service } = await asking({ answers: false, patienceMs: 20 })
  expect(await service.settle(new AbortController().signal)).toBe(3)
})

test('a cancelled scan waits for no name', async () => {
  const { service } = await asking({ answers: false, patienceMs: 3_600_000 })
  const stop = new AbortController()
  const settled = service.settle(stop.signal)
  stop.abort()
  expect(await settled).toBe(3)
})
