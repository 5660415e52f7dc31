/** `plat login --sso`: a page of the server asks the user, who signs in there in any way. The shape is that of RFC 8628. */

import { AppError } from '../../../contract/errors.ts'
import { isRecord, toText } from '../../../contract/unknown.ts'
import { toPrintable } from '../output/display.ts'
import { getText, type Session, type Texts } from '../parse/command.ts'
import { readJson, sendRequest, type Transport } from './client.ts'
import { createTransport, selectUrl } from './connection.ts'
import { buildKeyName, findEarlierKeys } from './login-key.ts'
import { readSettings, writeSettings } from './settings.ts'

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }

type Waiting = {
  readonly deviceCode: string
  readonly userCode: string
  readonly page: string
  readonly pageWithCode: string
  readonly lifeMs: number
  readonly intervalMs: number
}
type Made = { readonly key: string; readonly keyId: string; readonly userId: string; readonly username: string }

const post = async (to: Transport, path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const init = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) }
  const answer = await readJson(to, await sendRequest(to, path, init))
  if (!isRecord(answer)) throw new AppError('UNAVAILABLE', `${to.baseUrl} answered without an object`)
  return answer
}

const toSeconds = (value: unknown, usual: number): number => (typeof value === 'number' && value > 0 ? value : usual)

const begin = async (to: Transport, client: string): Promise<Waiting> => {
  const answer = await post(to, '/api/auth/device', { client })
  return {
    deviceCode: toText(answer.device_code),
    userCode: toText(answer.user_code),
    page: toText(answer.verification_uri),
    pageWithCode: toText(answer.verification_uri_complete),
    lifeMs: toSeconds(answer.expires_in, 600) * 1000,
    intervalMs: toSeconds(answer.interval, 5) * 1000,
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof AppError && error.code === code

/** Asks until the user has decided. @throws AppError ACCESS_DENIED, EXPIRED_TOKEN */
const waitForDecision = async ({ io }: Session, to: Transport, waiting: Waiting): Promise<Made> => {
  let { intervalMs } = waiting
  for (let waitedMs = 0; waitedMs < waiting.lifeMs; ) {
    await io.sleep(intervalMs)
    waitedMs += intervalMs
    try {
      const { key, key_id, user } = await post(to, '/api/auth/device/token', { device_code: waiting.deviceCode })
      const { id, username } = isRecord(user) ? user : {}
      return { key: toText(key), keyId: toText(key_id), userId: toText(id), username: toText(username) }
    } catch (error) {
      // Section 3.5: the interval grows by five seconds.
      if (isCode(error, 'SLOW_DOWN')) intervalMs += 5000
      else if (!isCode(error, 'AUTHORIZATION_PENDING')) throw error
    }
  }
  throw new AppError('EXPIRED_TOKEN', 'The code has expired; run plat login --sso again')
}

export const ssoLogin = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  // An unusable file is about to be replaced.
  const before = await readSettings(io.env).catch(() => undefined)
  const url = selectUrl(io, globals.url, before)
  const server = createTransport(io, url, {})
  const waiting = await begin(server, getText(texts, 'name') ?? (await buildKeyName(io)))
  await io.stderr.write(
    `${toPrintable(`Open ${waiting.pageWithCode} in a browser, on any machine, and allow this device.`)}\n` +
      `${toPrintable(`The code is ${waiting.userCode}; it may also be typed at ${waiting.page}`)}\n`,
  )
  const { key, keyId, userId, username } = await waitForDecision(session, server, waiting)
  const withKey = createTransport(io, url, { authorization: `Bearer ${key}` })
  const storedId = before?.url === url ? before.keyId : undefined
  const earlier = await findEarlierKeys(io, { inSession: withKey, userId }, { storedId, ownId: keyId })
  const path = await writeSettings(io.env, { url, key, keyId, username })
  await earlier.remove()
  if (!globals.isQuiet)
    await io.stderr.write(`${toPrintable(`Signed in to ${url} as ${username}; the key is in ${path}`)}\n`)
  return 0
}
