/** The processor time that Plat takes for a sign-in by an identity provider, which is in this process and so counts for nothing. */
import { scriptedProvider } from '../testing/servers/scripted-provider.ts'
import { plain, type Result } from './bench.ts'
import { median, milliseconds } from './numbers.ts'
import { clientOf } from './people-scopes.ts'
import { processorTime } from './processor.ts'
import { freePort, startPlat } from './servers.ts'

const WARM = 20
const ROUNDS = 60
const GOAL_MS = 20

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

type Options = {
  readonly env: Readonly<Record<string, string>>
  readonly dataDir: string
  readonly key: string
  /** The processes of the database. */
  readonly others: () => readonly number[]
}

export const signInResult = async ({ env, dataDir, key, others }: Options): Promise<Result> => {
  const provider = await scriptedProvider()
  const settings = { PUBLIC_URL: `http://127.0.0.1:${freePort()}`, COOKIE_SECURE: 'false', SSO_ALLOW_LOOPBACK: 'true' }
  const server = await startPlat(dataDir, { ...env, ...settings, ENCRYPTION_KEY: 'ab'.repeat(32) })
  try {
    const { issuer } = provider
    const fields = { issuer, client_id: 'plat', client_secret: 's3cret', allow_http: true, groups_claim: '' }
    const { id } = await clientOf(server, key).ssoProviders.create({ name: 'provider', ...fields })
    const at = `http://127.0.0.1:${server.port}`
    const signIn = async (): Promise<void> => {
      const begun = await fetch(`${at}/api/auth/sso/${id}`, { redirect: 'manual' })
      const to = new URL(begun.headers.get('location') ?? '')
      const query = new URLSearchParams({ code: provider.agree(to), state: to.searchParams.get('state') ?? '' })
      const headers = { Cookie: cookieOf(begun) }
      const answer = await fetch(`${at}/api/auth/sso/callback?${query}`, { redirect: 'manual', headers })
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.headers.get('location')}`)
    }
    const taken: number[] = []
    for (let i = 0; i < WARM + ROUNDS; i++)
      taken.push(await processorTime({ pids: () => [server.pid, ...others()] }, signIn))
    const ms = median(taken.slice(WARM))
    return plain({
      work: 'sign-in by an identity provider',
      ours: milliseconds(ms),
      goal: `< ${GOAL_MS} ms`,
      isMet: ms < GOAL_MS,
      numbers: { median_ms: ms },
    })
  } finally {
    await server.stop()
    provider.close()
  }
}
