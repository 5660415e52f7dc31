// nginx, as `packaging/ha/nginx.conf` has it: which requests reach an instance again after another one has failed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Nginx, startNginx } from '../../testing/servers/nginx.ts'
import { freePort } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000
const BODIES = { 'no body': '', 'a body': '{"name":"x"}', 'a long body': JSON.stringify({ name: 'x'.repeat(300_000) }) }
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

/** How an instance ends a request that it has read. */
type End = 'answers' | 'closes' | 'resets' | 'breaks off' | 'has an error' | 'freezes'

/** The requests that the instances have read, in order. */
let seen: string[] = []
/** How the first instance that reads a request ends it. Another one answers. */
let end: End = 'answers'

type Connection = { text: string }
const startInstance = (port: number) =>
  Bun.listen<Connection>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => {
        socket.data = { text: '' }
      },
      data: (socket, bytes) => {
        socket.data.text += bytes.toString('latin1')
        const [head = '', body] = socket.data.text.split('\r\n\r\n')
        if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return
        seen.push(head.split(' ').slice(0, 2).join(' '))
        if (end === 'answers' || seen.length > 1)
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
        else if (end === 'has an error')
          socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
        else if (end === 'freezes') return
        else if (end === 'closes') socket.end()
        else if (end === 'resets') socket.terminate()
        else socket.end('HTTP/1.1 200 OK\r\nContent-Len')
      },
    },
  })

let nginx: Nginx
let ports: readonly [number, number]
let instances: { stop: (closes?: boolean) => void }[] = []
beforeAll(async () => {
  ports = [await freePort(), await freePort()]
  nginx = await startNginx(ports)
}, TIMEOUT_MS)
afterAll(() => nginx.stop())
beforeEach(() => {
  for (const one of instances) one.stop(true)
  instances = []
  seen = []
})

const send = async (method: string, body: string, { url } = nginx): Promise<readonly [number, readonly string[]]> => {
  const response = await fetch(`${url}/api/devices/a%2Fb?x=1`, {
    method,
    ...(body !== '' && { body }),
    tls: { rejectUnauthorized: false },
  })
  await response.text()
  return [response.status, seen]
}
const WANTED = (method: string) => `${method} /api/devices/a%2Fb?x=1`

describe.each(['closes', 'resets', 'breaks off'] as const)(
  'a request to an instance that reads it and %s the connection',
  (how) => {
    beforeEach(() => {
      end = how
      instances = ports.map(startInstance)
    })

    test.each(['GET', 'HEAD'])('is sent again to the other one, as a %s', async (method) => {
      expect(await send(method, '')).toEqual([200, [WANTED(method), WANTED(method)]])
    })

    test.each(WRITES.flatMap((method) => Object.entries(BODIES).map(([name, body]) => [method, name, body] as const)))(
      'is not sent again as a %s with %s',
      async (method, _, body) => {
        expect(await send(method, body)).toEqual([502, [WANTED(method)]])
      },
    )
  },
)

describe('a request while one instance refuses connections', () => {
  beforeEach(() => {
    end = 'answers'
  })

  test.each([0, 1])('is sent to the other one, with every method and body', async (at) => {
    instances = [startInstance(ports[at] ?? 0)]
    const methods = ['GET', ...WRITES]
    const answers: unknown[] = []
    for (const method of methods)
      for (const body of method === 'GET' ? [''] : Object.values(BODIES)) {
        seen = []
        answers.push([method, ...(await send(method, body))])
      }
    expect(answers).toEqual(
      methods.flatMap((method) =>
        (method === 'GET' ? [''] : Object.values(BODIES)).map(() => [method, 200, [WANTED(method)]]),
      ),
    )
  })
})

test('an instance that freezes with a request delays it by the limit of nginx, and a write is not sent again', async () => {
  end = 'freezes'
  instances = ports.map(startInstance)
  const quick = await startNginx(ports, { readTimeout: '200ms' })
  const answers: unknown[] = []
  for (const method of ['GET', ...WRITES]) {
    seen = []
    answers.push([method, ...(await send(method, '', quick))])
  }
  await quick.stop()
  const line = (method: string, status: number, sent: number) => [method, status, Array(sent).fill(WANTED(method))]
  expect(answers).toEqual([
    line('GET', 200, 2),
    ...WRITES.map((method) => line(method, method === 'PUT' || method === 'DELETE' ? 502 : 504, 1)),
  ])
})

test.each(WRITES)(
  'the answer 502 of an instance to a %s is passed on, and the request is not sent again',
  async (method) => {
    end = 'has an error'
    instances = ports.map(startInstance)
    const response = await fetch(nginx.url, { method, tls: { rejectUnauthorized: false } })
    expect([response.status, await response.text(), seen.length]).toEqual([502, '{}', 1])
  },
)

test.each(['GET', ...WRITES])('a %s while no instance runs is answered with 502', async (method) => {
  expect((await send(method, ''))[0]).toBe(502)
})
