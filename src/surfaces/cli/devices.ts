/** The device cookies of `plat login`: a later sign-in skips the queue of unknown clients. A logout keeps them. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Env, getSettingsPath, writePrivate } from './connection/settings.ts'

type Kept = { readonly url: string; readonly username: string; readonly cookie: string }
type Account = Omit<Kept, 'cookie'>

/** Maximum number of stored cookies; the oldest are evicted. */
const MAX_KEPT = 20
/** In the form of a Cookie header. */
const COOKIE = /^(__Host-)?device=[\w.-]+$/

const getPath = (env: Env): string => join(dirname(getSettingsPath(env)), 'devices.json')

const isKept = (value: unknown): value is Kept => {
  // Read field by field.
  const { url, username, cookie } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Kept>
  return typeof url === 'string' && typeof username === 'string' && COOKIE.test(cookie ?? '')
}

/** Reads all kept devices. A missing or unreadable file costs only the better place in the queue. */
const readAll = async (env: Env): Promise<Kept[]> => {
  try {
    const kept: unknown = JSON.parse(await readFile(getPath(env), 'utf8'))
    return Array.isArray(kept) ? kept.filter(isKept) : []
  } catch {
    return []
  }
}

const isSameAccount =
  ({ url, username }: Account) =>
  (kept: Account): boolean =>
    kept.url === url && kept.username.toLowerCase() === username.toLowerCase()

/** Returns the Cookie header for a sign-in of that account at that server. */
export const readDevice = async (env: Env, account: Account): Promise<string | undefined> =>
  (await readAll(env)).find(isSameAccount(account))?.cookie

/** @param cookie `name=value`; anything but a device cookie is ignored */
export const keepDevice = async (env: Env, { url, username }: Account, cookie: string): Promise<void> => {
  if (!COOKIE.test(cookie)) return
  const isSame = isSameAccount({ url, username })
  const others = (await readAll(env)).filter((one) => !isSame(one))
  const kept = [...others, { url, username, cookie }].slice(-MAX_KEPT)
  await writePrivate(getPath(env), `${JSON.stringify(kept, undefined, 2)}\n`)
}
