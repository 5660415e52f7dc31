/** `plat login` and `plat logout`: exchanges a password for an API key of this machine, and deletes it. */

import { AppError } from '../../../contract/errors.ts'
import { getErrorMessage, isRecord } from '../../../contract/unknown.ts'
import { keepDevice, readDevice } from '../devices.ts'
import { toPrintable } from '../output/display.ts'
import { getText, isOn, type Session, type Texts } from '../parse/command.ts'
import { createUsageError } from '../parse/usage-error.ts'
import { readJson, sendRequest, type Transport } from './client.ts'
import { createTransport, selectUrl } from './connection.ts'
import { makeMachineKey } from './login-key.ts'
import { getSettingsPath, readSettings, removeSettings, type Settings, writeSettings } from './settings.ts'

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
const SESSION = /^(__Host-)?session=./
const DEVICE = /^(__Host-)?device=./

const readPassword = async ({ io }: Session, texts: Texts, question: string): Promise<string> => {
  if (isOn(texts, 'password-stdin')) return new TextDecoder().decode(await io.stdin.readAll()).replace(/\r?\n$/, '')
  if (io.stdin.isTty) return io.stdin.ask(question, { isSecret: true })
  throw createUsageError('the password prompt needs a terminal: use --password-stdin')
}

const readUsername = async ({ io }: Session, texts: Texts): Promise<string> => {
  const given = getText(texts, 'username')
  if (given) return given
  if (io.stdin.isTty && !isOn(texts, 'password-stdin')) return (await io.stdin.ask('User name: ')).trim()
  throw createUsageError('--username is missing')
}

const warnOfPlainHttp = async ({ io }: Session, url: string): Promise<void> => {
  const { protocol, hostname: host } = new URL(url)
  if (protocol === 'https:' || host === 'localhost' || host === '[::1]' || /^127\./.test(host)) return
  await io.stderr.write(`warning: ${toPrintable(url)} is not https: the password travels unencrypted\n`)
}

type Opened = {
  /** In the form of a Cookie header. It may be Secure: it is sent to the server that has set it. */
  readonly cookie: string
  /** The device cookie in the same form; '' if none was set. */
  readonly device: string
  readonly userId: string
}

type Shown = {
  readonly username: string
  readonly password: string
  readonly totp?: string
  readonly recovery_code?: string
}

const openSession = async (transport: Transport, shown: Shown): Promise<Opened> => {
  const body = JSON.stringify(shown)
  const response = await sendRequest(transport, '/api/auth/login', { method: 'POST', headers: JSON_HEADERS, body })
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
  const cookie = cookies.find((one) => SESSION.test(one))
  if (cookie === undefined)
    throw new AppError('UNAVAILABLE', `${transport.baseUrl} set no session cookie: is it a Plat server?`)
  const answer = await readJson(transport, response)
  const user = isRecord(answer) && isRecord(answer.user) ? answer.user : {}
  const device = cookies.find((one) => DEVICE.test(one)) ?? ''
  return { cookie, device, userId: typeof user.id === 'string' ? user.id : '' }
}

const TOTP = /^\d{6}$/

type Code = Pick<Shown, 'totp' | 'recovery_code'>

const parseCode = (text: string): Code =>
  TOTP.test(text.replace(/\s/g, '')) ? { totp: text.trim() } : { recovery_code: text.trim() }

/** Asks for the second factor that the server wants. @throws the server's error if none can be entered here */
const askCode = async ({ io }: Session, texts: Texts, wanted: AppError): Promise<Code> => {
  const has = (field: string) => wanted.details.some((one) => one.field === field)
  const hasCodes = has('totp') || has('recovery_code')
  if (!hasCodes || !io.stdin.isTty || isOn(texts, 'password-stdin')) {
    const hint = hasCodes ? 'send it with --code' : 'a passkey works with plat login --sso'
    throw new AppError(wanted.code, `${wanted.message}: ${hint}`, { details: wanted.details, cause: wanted })
  }
  const question = has('totp') ? 'Code of your authenticator app, or a recovery code: ' : 'Recovery code: '
  return parseCode(await io.stdin.ask(question, { isSecret: true }))
}

/** Returns the refusal of a password, with the way in if the server takes only few passwords. */
const describeRefusal = async (transport: Transport, refused: AppError): Promise<AppError> => {
  const response = await sendRequest(transport, '/api/auth/login', { method: 'GET' }).catch(() => undefined)
  const options = response && (await readJson(transport, response).catch(() => undefined))
  if (!isRecord(options) || options.password_for !== 'break-glass') return refused
  const message = `${refused.message}. Passwords are off on this server, except of break-glass users: use plat login --sso`
  return new AppError(refused.code, message, { cause: refused })
}

/** Signs in, and sends a second factor if the server wants one. */
const signIn = async (session: Session, texts: Texts, transport: Transport, shown: Shown): Promise<Opened> => {
  const given = getText(texts, 'code')
  try {
    return await openSession(transport, given ? { ...shown, ...parseCode(given) } : shown)
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') throw await describeRefusal(transport, error)
    if (!(error instanceof AppError) || error.code !== 'SECOND_FACTOR_REQUIRED') throw error
    return openSession(transport, { ...shown, ...(await askCode(session, texts, error)) })
  }
}

const deleteKey = async (session: Session, { url, key, keyId }: Settings): Promise<void> => {
  if (keyId === undefined) return
  const transport = createTransport(session.io, url, { authorization: `Bearer ${key}` })
  await sendRequest(transport, `/api/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE' })
}

export const login = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  // An unusable file is about to be replaced.
  const before = await readSettings(io.env).catch(() => undefined)
  const url = selectUrl(io, globals.url, before)
  await warnOfPlainHttp(session, url)
  const username = await readUsername(session, texts)
  const password = await readPassword(session, texts, 'Password: ')
  const known = await readDevice(io.env, { url, username })
  const asDevice = createTransport(io, url, known === undefined ? {} : { cookie: known })
  const { cookie, device, userId } = await signIn(session, texts, asDevice, { username, password })
  // The device cookie is optional: the next sign-in would count as one from an unknown device. That is no reason to fail this one.
  await keepDevice(io.env, { url, username }, device).catch(() => undefined)
  const inSession = createTransport(io, url, { cookie, 'X-Requested-With': 'XMLHttpRequest' })
  let ended: readonly string[] = []
  try {
    const storedId = before?.url === url ? before.keyId : undefined
    const made = await makeMachineKey(io, { inSession, userId }, { given: getText(texts, 'name'), storedId })
    const { key, id } = made
    const path = await writeSettings(io.env, { url, key, keyId: id, username }).catch(async (error: unknown) => {
      await made.undo()
      throw error
    })
    ended = await made.deleteEarlier()
    if (!globals.isQuiet)
      await io.stderr.write(`${toPrintable(`Signed in to ${url} as ${username}; the key is in ${path}`)}\n`)
  } finally {
    // The session is no longer needed. If this fails, it expires.
    await sendRequest(inSession, '/api/auth/logout', { method: 'POST' }).catch(() => undefined)
  }
  // Also a key of another server or user. If this fails, its owner sees it in the list of keys.
  if (before && !ended.includes(before.keyId ?? '')) await deleteKey(session, before).catch(() => undefined)
  return 0
}

/** A key that the server no longer accepts counts as deleted. */
const isGone = (error: unknown): boolean => error instanceof AppError && (error.status === 401 || error.status === 404)

export const logout = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  if (isOn(texts, 'local')) {
    await removeSettings(io.env)
    return 0
  }
  const stored = await readSettings(io.env)
  if (!stored) throw createUsageError(`not signed in: there is no ${getSettingsPath(io.env)}`)
  try {
    await deleteKey(session, stored)
  } catch (error) {
    if (!isGone(error)) {
      const reason = getErrorMessage(error)
      const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
      throw new AppError(code, `${reason}. The key still works; plat logout --local only forgets it here`, {
        cause: error,
      })
    }
  }
  await removeSettings(io.env)
  if (!globals.isQuiet) await io.stderr.write(`Signed out of ${toPrintable(stored.url)}\n`)
  return 0
}
