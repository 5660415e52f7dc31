/** Passkeys of browsers that sign in by a provider, for tests. */
import { z } from 'zod'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { type Browser, PUBLIC_URL } from './sso.ts'

const Options = z.object({
  challenge_id: z.string(),
  options: z.looseObject({ challenge: z.string(), user: z.object({ id: z.string() }).default({ id: '' }) }),
})

/** Adds a passkey to the account of a browser with a fresh session. */
export const addPasskey = async ({ send }: Pick<Browser, 'send'>): Promise<Authenticator> => {
  const authenticator = createAuthenticator({ origin: PUBLIC_URL, rpId: new URL(PUBLIC_URL).hostname })
  const asked = Options.parse(await (await send('POST /api/auth/passkeys/options', {})).json())
  const body = { challenge_id: asked.challenge_id, name: 'Key', response: authenticator.register(asked.options) }
  const made = await send('POST /api/auth/passkeys', body)
  if (made.status !== 201) throw new Error(`the passkey was not made: ${await made.text()}`)
  return authenticator
}

/** Signs in a browser with only a passkey. */
export const signInWithPasskey = async (
  { send }: Pick<Browser, 'send'>,
  authenticator: Authenticator,
): Promise<Response> => {
  const asked = Options.parse(await (await send('POST /api/auth/passkey/options', {})).json())
  const { challenge_id, options } = asked
  return send('POST /api/auth/passkey', { challenge_id, response: authenticator.signIn(options) })
}
