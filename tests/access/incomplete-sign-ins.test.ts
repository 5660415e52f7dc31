/** A sign-in counts from its headers on: an incomplete or invalid one counts as an attempt too. */
import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { BEHIND_PROXY } from '../../testing/from-address.ts'
import { until } from '../../testing/until.ts'

let folder: ServerFolder | undefined
afterEach(() => folder?.remove())

const HEAD = [
  'POST /api/auth/login HTTP/1.1',
  'Host: plat.test',
  'Content-Type: application/json',
  'X-Forwarded-For: 192.0.2.1',
].join('\r\n')

const ATTEMPTS: readonly (readonly [string, string])[] = [
  ['of which nothing comes', `${HEAD}\r\nContent-Length: 60\r\n\r\n`],
  ['of which a part comes', `${HEAD}\r\nContent-Length: 60\r\n\r\n{"username":"admin",`],
  ['of which a chunk comes', `${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"use\r\n`],
  ['whose chunks make no sense', `${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"use\r\nrubbish\r\n`],
  ['that is no JSON', `${HEAD}\r\nContent-Length: 3\r\n\r\n{"u`],
  ['that is too large', `${HEAD}\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`],
]

const LIMIT = 1000
const BROKEN = 3

test.each([...ATTEMPTS])('a body %s', async (_, bytes) => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', LOGIN_RATE_LIMIT_REQUESTS: `${LIMIT}`, ...BEHIND_PROXY })
  const { url } = await folder.start()
  const { hostname, port } = new URL(url)
  for (let i = 0; i < BROKEN; i++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await new Promise<void>((sent) => socket.write(bytes, () => sent()))
    // The server answers a later request, so it has seen the earlier ones.
    await (await fetch(`${url}/healthz`)).text()
    socket.destroy()
  }
  let asked = 0
  const left = async (): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' }
    const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body: '{}' })
    await answer.arrayBuffer()
    asked++
    return Number(answer.headers.get('x-ratelimit-remaining'))
  }
  const counted = await until('count of all attempts', async () => {
    const other = LIMIT - asked - 1 - (await left())
    return other >= BROKEN ? other : undefined
  })
  expect(counted).toBe(BROKEN)
})
