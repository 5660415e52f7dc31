import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { checkListening, checkPing } from './doctor-host.ts'

describe('the listen address', () => {
  const listening = async <T>(answer: string | undefined, work: (port: number) => Promise<T>): Promise<T> => {
    const server =
      answer === undefined
        ? undefined
        : Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(answer) })
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const address = silent.address()
    const port = server?.port ?? (typeof address === 'object' ? (address?.port ?? 0) : 0)
    if (server) silent.close()
    try {
      return await work(port)
    } finally {
      await server?.stop(true)
      silent.close()
    }
  }
  const check = (port: number, isServing = false) =>
    checkListening({ hostname: '127.0.0.1', port }, { folder: '/nowhere', isServing })

  test('where another Plat answers', async () => {
    expect(await listening('ok', check)).toMatchObject({
      status: 'problem',
      message: expect.stringContaining(`another Plat answers there, process ${process.pid}`),
    })
  })

  test('that another program has', async () => {
    expect(await listening('hello', check)).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('in use by another program'),
    })
  })

  test('that is not an address of this machine', async () => {
    const own = { folder: '/nowhere', isServing: false }
    expect(await checkListening({ hostname: '192.0.2.1', port: 8080 }, own)).toMatchObject({
      status: 'problem',
      message: '192.0.2.1:8080 is not an address of this machine',
    })
  })

  test('that is free', async () => {
    const port = await listening('ok', async (used) => used)
    expect(await check(port)).toMatchObject({ status: 'ok' })
    expect(await check(port, true)).toMatchObject({ status: 'warning' })
  })
})

describe('pings', () => {
  const facts = { platform: 'linux', groups: [1000, 27], range: '1\t0\n', status: 'CapEff:\t0000000000000000\n' }

  test.each([
    ['nothing allows them', {}, 'warning'],
    ['the range of groups', { range: '0\t2147483647\n' }, 'ok'],
    ['the range of another group it is in', { range: '27 27' }, 'ok'],
    ['a range of other groups', { range: '28 999' }, 'warning'],
    ['CAP_NET_RAW', { status: 'Name:\tbun\nCapEff:\t0000000000002000\n' }, 'ok'],
    ['other capabilities', { status: 'CapEff:\t0000000000001fff\n' }, 'warning'],
    ['no /proc', { range: '', status: '' }, 'warning'],
    ['another system', { platform: 'darwin' }, 'ok'],
  ] as const)('%s', (_, changed, status) => {
    expect(checkPing({ ...facts, ...changed }).status).toBe(status)
  })
})
