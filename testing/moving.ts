/** Two filled databases and the command between them, for the tests of `plat database copy`. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openDatabase } from '../src/app/compose.ts'
import { loadConfig } from '../src/base/config/config.ts'
import { createLogger } from '../src/base/runtime/log.ts'
import { openData, platIn, scratch } from './app/data-folders.ts'
import { fillEveryTable } from './estates/every-table.ts'
import { postgresDatabase } from './servers/servers.ts'

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

export type Move = {
  /** Has rows in every table. */
  readonly dataDir: string
  readonly file: string
  /** An empty database. */
  readonly url: string
  /** A folder that does not exist yet. */
  readonly back: string
  readonly backFile: string
  /** Runs `plat database copy` from the folder to PostgreSQL. */
  readonly away: (...flags: string[]) => ReturnType<typeof platIn>
  /** Runs it from PostgreSQL to the other folder. */
  readonly home: (...flags: string[]) => ReturnType<typeof platIn>
  /** Runs both in sequence. @throws unless both succeed */
  readonly thereAndBack: () => Promise<void>
  /** Queries the PostgreSQL database. */
  readonly ask: (statement: string) => Promise<Record<string, unknown>[]>
  readonly end: () => Promise<void>
}

/** Created once per process. */
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

/** Opens the database as the start of a server does. @throws the same errors */
export const startOn = async (settings: Readonly<Record<string, string>>): Promise<void> => {
  const config = loadConfig({ env: settings, cwd: scratch() })
  const { close } = await openDatabase({ config, log: quiet, now: () => new Date() })
  await close()
}
