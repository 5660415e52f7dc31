/** The device cookies of `plat login`: with one, the next sign-in at that server need not queue behind strangers. Kept by a logout. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Env, settingsPath, writePrivate } from './settings.ts'

type Kept = { readonly url: string; readonly username: string; readonly cookie: string }
type Account = Omit<Kept, 'cookie'>

/** More servers and accounts than one machine has; the oldest go first. */
const MAX_KEPT = 20
/** As a Cookie header carries it. */
const COOKIE = /^(__Host-)?device=[\w.-]+$/

const pathOf = (env: Env): string => join(dirname(settingsPath(env)), 'devices.json')

const isKept = (value: unknown): value is Kept => {
  // Read field by field.
  const { url, username, cookie } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Kept>
  return typeof url === 'string' && typeof username === 'string' && COOKIE.test(cookie ?? '')
}

/** Without a file, or with one that can't be read, nothing is lost but a better place in the queue. */
const readAll = async (env: Env): Promise<Kept[]> => {
  try {
    const kept: unknown = JSON.parse(await readFile(pathOf(env), 'utf8'))
    return Array.isArray(kept) ? kept.filter(isKept) : []
  } catch {
    return []
  }
}

const isOf =
  ({ url, username }: Account) =>
  (kept: Account): boolean =>
    kept.url === url && kept.username.toLowerCase() === username.toLowerCase()

/** Returns the Cookie header for a sign-in of that account at that server. */
export const readDevice = async (env: Env, account: Account): Promise<string | undefined> =>
  (await readAll(env)).find(isOf(account))?.cookie

/** @param cookie `name=value`; anything but a device cookie is not kept */
export const keepDevice = async (env: Env, { url, username }: Account, cookie: string): Promise<void> => {
  if (!COOKIE.test(cookie)) return
  const isSame = isOf({ url, username })
  const others = (await readAll(env)).filter((one) => !isSame(one))
  const kept = [...others, { url, username, cookie }].slice(-MAX_KEPT)
  await writePrivate(pathOf(env), `${JSON.stringify(kept, undefined, 2)}\n`)
}
