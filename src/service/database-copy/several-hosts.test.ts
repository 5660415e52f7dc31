// A database copy names a PostgreSQL that runs on several hosts.
import { expect, test } from 'bun:test'
import { platIn } from '../../../testing/app/data-folders.ts'
import { newMove, startOn } from '../../../testing/moving.ts'
import { engines } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 120_000
/** Nothing listens there. */
const AWAY = '127.0.0.1:1'

if (engines().includes('postgres')) {
  const moved = async (work: (move: Awaited<ReturnType<typeof newMove>>) => Promise<void>) => {
    const move = await newMove()
    try {
      await work(move)
    } finally {
      await move.end()
    }
  }
  const withHost = (url: string): string => url.replace(/(:\/\/[^/]*@)/, `$1${AWAY},`)

  test(
    'it is copied to the primary, a server starts on it, and it is copied back from there',
    () =>
      moved(async ({ url, dataDir, back }) => {
        const hosts = withHost(url)
        const away = await platIn({ DATA_DIR: dataDir }, 'database', 'copy', '--to', hosts)
        expect([away.code, away.err]).toEqual([0, ''])
        await startOn({ DATABASE_URL: hosts })
        const home = await platIn({ DATABASE_URL: hosts }, 'database', 'copy', '--to', `sqlite:${back}`)
        expect(home.code).toBe(0)
      }),
    TIMEOUT_MS,
  )

  test(
    'without a primary it ends, and names each host without the password',
    () =>
      moved(async ({ dataDir }) => {
        const hosts = `postgres://plat:sesame@${AWAY},127.0.0.1:2/plat`
        const { code, out, err } = await platIn({ DATA_DIR: dataDir }, 'database', 'copy', '--to', hosts)
        expect(code).toBe(6)
        expect(err).toContain(`none of ${AWAY}, 127.0.0.1:2 is a primary: ${AWAY} does not answer: `)
        expect(out + err).not.toContain('sesame')
      }),
    TIMEOUT_MS,
  )

  test(
    'a wrong list of hosts is refused by the name of the flag',
    () =>
      moved(async ({ dataDir }) => {
        const { code, err } = await platIn({ DATA_DIR: dataDir }, 'database', 'copy', '--to', 'postgres://db1,/plat')
        expect([code, err]).toEqual([
          2,
          expect.stringContaining('--to must name a host at place 2 of its list of hosts'),
        ])
      }),
    TIMEOUT_MS,
  )
}
