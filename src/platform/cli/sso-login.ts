/** `plat login --sso`: a page of the server asks the user, who signs in there in any way. The shape is that of RFC 8628. */

import { AppError } from '../contract/errors.ts'
import { readJson, sendRequest, type Transport } from './client.ts'
import { type Session, type Texts, textOf } from './command.ts'
import { transportTo, urlOf } from './connection.ts'
import { printable } from './display.ts'
import { isRow } from './labels.ts'
import { earlierKeys, machineKeyName } from './login-key.ts'
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
  if (!isRow(answer)) throw new AppError('UNAVAILABLE', `${to.baseUrl} answered without an object`)
  return answer
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const seconds = (value: unknown, usual: number): number => (typeof value === 'number' && value > 0 ? value : usual)

const begin = async (to: Transport, client: string): Promise<Waiting> => {
  const answer = await post(to, '/api/auth/device', { client })
  return {
    deviceCode: text(answer.device_code),
    userCode: text(answer.user_code),
    page: text(answer.verification_uri),
    pageWithCode: text(answer.verification_uri_complete),
    lifeMs: seconds(answer.expires_in, 600) * 1000,
    intervalMs: seconds(answer.interval, 5) * 1000,
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof AppError && error.code === code

/** Asks until the user has decided. @throws AppError ACCESS_DENIED, EXPIRED_TOKEN */
const decided = async ({ io }: Session, to: Transport, waiting: Waiting): Promise<Made> => {
  let { intervalMs } = waiting
  for (let waitedMs = 0; waitedMs < waiting.lifeMs; ) {
    await io.sleep(intervalMs)
    waitedMs += intervalMs
    try {
      const { key, key_id, user } = await post(to, '/api/auth/device/token', { device_code: waiting.deviceCode })
      const { id, username } = isRow(user) ? user : {}
      return { key: text(key), keyId: text(key_id), userId: text(id), username: text(username) }
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
  const url = urlOf(io, globals.url, before)
  const server = transportTo(io, url, {})
  const waiting = await begin(server, textOf(texts, 'name') ?? (await machineKeyName(io)))
  await io.stderr.write(
    `${printable(`Open ${waiting.pageWithCode} in a browser, on any machine, and allow this device.`)}\n` +
      `${printable(`The code is ${waiting.userCode}; it may also be typed at ${waiting.page}`)}\n`,
  )
  const { key, keyId, userId, username } = await decided(session, server, waiting)
  const withKey = transportTo(io, url, { authorization: `Bearer ${key}` })
  const storedId = before?.url === url ? before.keyId : undefined
  const earlier = await earlierKeys(io, { inSession: withKey, userId }, { storedId, ownId: keyId })
  const path = await writeSettings(io.env, { url, key, keyId, username })
  await earlier.remove()
  if (!globals.isQuiet)
    await io.stderr.write(`${printable(`Signed in to ${url} as ${username}; the key is in ${path}`)}\n`)
  return 0
}
