import { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { datacentersIn, fillData, plat, scratch } from '../../../testing/app/data-folders.ts'
import { takeOneIn } from '../../../testing/cases.ts'

let dataDir: string
let file: string
beforeEach(async () => {
  const folder = scratch()
  dataDir = join(folder, 'data')
  file = join(folder, 'plat.backup')
  await fillData(dataDir, 'old')
  await plat('backup', file, '--data-dir', dataDir)
  await fillData(dataDir, 'new')
})

const asideIn = (dir: string) => readdirSync(dir).filter((name) => /^plat-replaced-\d{8}T\d{6}Z\.db$/.test(name))
const namesIn = (path: string) => {
  const database = new Database(path, { readonly: true })
  const rows = database.query<{ name: string }, []>('SELECT name FROM datacenters ORDER BY name').all()
  database.close()
  return rows.map(({ name }) => name)
}

describe('a kill -9', () => {
  const script = (killed: string) => `
    const { restoreData } = await import(${JSON.stringify(join(import.meta.dir, 'restore.ts'))})
    const { migrations } = await import(${JSON.stringify(join(import.meta.dir, '../../database/migrations/index.ts'))})
    const killAt = (reached) => {
      if (reached === ${JSON.stringify(killed)}) process.kill(process.pid, 'SIGKILL')
    }
    await restoreData(
      { file: ${JSON.stringify(file)}, dataDir: ${JSON.stringify(dataDir)}, isForced: true, migrations, now: () => new Date(), step: killAt },
      { signal: new AbortController().signal, progress: killAt },
    )
  `

  const restoreKilledAt = async (step: string): Promise<void> => {
    const child = Bun.spawn([process.execPath, '-e', script(step)], { stderr: 'inherit' })
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
  }

  test.each([
    ['unpacking', ['new', 'old']],
    ['checking', ['new', 'old']],
    ['log merged', ['new', 'old']],
    ['kept aside', ['new', 'old']],
    ['log removed', ['new', 'old']],
    ['replaced', ['old']],
  ])('after "%s" leaves whole data: %j', async (step, names) => {
    await restoreKilledAt(step)
    expect(await datacentersIn(dataDir)).toEqual(names)
  })

  test.each(takeOneIn(3, ['unpacking', 'checking', 'log merged', 'kept aside', 'log removed']))(
    'after "%s" leaves nothing that the next start does not clear up',
    async (step) => {
      await restoreKilledAt(step)
      await datacentersIn(dataDir)
      expect(readdirSync(dataDir).toSorted()).toEqual(['plat.db', 'plat.lock'])
    },
  )

  test('after "replaced" has the old data aside', async () => {
    await restoreKilledAt('replaced')
    expect(namesIn(join(dataDir, asideIn(dataDir)[0] ?? ''))).toEqual(['new', 'old'])
  })

  test('can be followed by another restore', async () => {
    await restoreKilledAt('kept aside')
    expect((await plat('restore', file, '--data-dir', dataDir, '--force')).code).toBe(0)
    expect(await datacentersIn(dataDir)).toEqual(['old'])
    expect(asideIn(dataDir)).toHaveLength(1)
  })
})
