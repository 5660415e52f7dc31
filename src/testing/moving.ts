/** Estates on the move, for the tests of `plat database copy`: both ends, filled, and the command between them. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openDatabase } from '../compose.ts'
import { loadConfig } from '../platform/runtime/config/config.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { openData, platIn, scratch } from './data-folders.ts'
import { fillEveryTable } from './every-table.ts'
import { postgresDatabase } from './servers.ts'

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

export type Move = {
  /** With rows in every table. */
  readonly dataDir: string
  readonly file: string
  /** Empty. */
  readonly url: string
  /** A folder that is not there yet. */
  readonly back: string
  readonly backFile: string
  /** `plat database copy` from the folder to PostgreSQL. */
  readonly away: (...flags: string[]) => ReturnType<typeof platIn>
  /** The same from PostgreSQL to the other folder. */
  readonly home: (...flags: string[]) => ReturnType<typeof platIn>
  /** Both, one after the other. @throws unless both end well */
  readonly thereAndBack: () => Promise<void>
  /** What the database says. */
  readonly ask: (statement: string) => Promise<Record<string, unknown>[]>
  readonly end: () => Promise<void>
}

/** Made once per process. */
let template: string | undefined

const fullFile = async (): Promise<string> => {
  if (template !== undefined) return template
  const folder = scratch()
  await (await openData(folder)).close()
  template = join(folder, 'plat.db')
  fillEveryTable(template)
  return template
}

export const newMove = async (): Promise<Move> => {
  const folder = scratch()
  const dataDir = join(folder, 'data')
  const back = join(folder, 'back')
  const file = join(dataDir, 'plat.db')
  mkdirSync(dataDir)
  copyFileSync(await fullFile(), file)
  const { url, drop } = await postgresDatabase()
  const client = new SQL({ url, max: 1 })
  const away: Move['away'] = (...flags) => platIn({ DATA_DIR: dataDir }, 'database', 'copy', '--to', url, ...flags)
  const home: Move['home'] = (...flags) =>
    platIn({ DATABASE_URL: url }, 'database', 'copy', '--to', `sqlite:${back}`, ...flags)
  return {
    dataDir,
    file,
    url,
    back,
    backFile: join(back, 'plat.db'),
    away,
    home,
    thereAndBack: async () => {
      for (const move of [away, home]) {
        const { code, err } = await move('-q')
        if (code !== 0) throw new Error(err)
      }
    },
    ask: async (statement) => [...(await client.unsafe(statement))],
    end: async () => {
      await client.close()
      await drop()
    },
  }
}

/** Opens the database as a server does at its start. @throws as that does */
export const startOn = async (settings: Readonly<Record<string, string>>): Promise<void> => {
  const config = loadConfig({ env: settings, cwd: scratch() })
  const { close } = await openDatabase({ config, log: quiet, now: () => new Date() })
  await close()
}
