/** Stores the login of `plat login` in the user's config directory, readable only by that user. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { getErrorMessage, toOptionalText } from '../../../contract/unknown.ts'
import { createUsageError } from '../parse/usage-error.ts'

export type Settings = {
  readonly url: string
  readonly key: string
  readonly keyId: string | undefined
  readonly username: string | undefined
}

export type Env = Readonly<Record<string, string | undefined>>

export const getSettingsPath = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'plat', 'config.json')

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** @throws AppError INVALID_INPUT for an unusable file: it must not silently mean "not signed in" */
export const readSettings = async (env: Env): Promise<Settings | undefined> => {
  const path = getSettingsPath(env)
  try {
    // Checked field by field below.
    const { url, key, key_id, username } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    if (typeof url !== 'string' || typeof key !== 'string') throw new Error('it holds no url and key')
    return {
      url,
      key,
      keyId: toOptionalText(key_id),
      username: toOptionalText(username),
    }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw createUsageError(`can't use ${path}: ${getErrorMessage(error)}; remove it and sign in again`)
  }
}

/** Replaces a file of the config directory. Only its owner can read it and its folder. */
export const writePrivate = async (path: string, text: string): Promise<void> => {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An existing folder may have wider permissions.
  await chmod(folder, 0o700)
  const fresh = `${path}.${process.pid}`
  await writeFile(fresh, text, { mode: 0o600 })
  await rename(fresh, path)
}

export const writeSettings = async (env: Env, { url, key, keyId, username }: Settings): Promise<string> => {
  const path = getSettingsPath(env)
  await writePrivate(path, `${JSON.stringify({ url, key, key_id: keyId, username }, undefined, 2)}\n`)
  return path
}

export const removeSettings = (env: Env): Promise<void> => rm(getSettingsPath(env), { force: true })
