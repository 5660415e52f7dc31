/** `plat demo`: makes an estate up, writes it to files that are deleted afterwards, and imports them like any others. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importEstate } from '../features/estate/cli-import.ts'
import { type Session, type Texts, textOf } from '../platform/cli/command.ts'
import { usageError } from '../platform/cli/usage-error.ts'
import { generateEstate } from './estate.ts'
import { writeEstate } from './files.ts'

const DEFAULT_DEVICES = 300

const estateFor = (texts: Texts) => {
  const devices = Number(textOf(texts, 'devices') ?? DEFAULT_DEVICES)
  const seed = Number(textOf(texts, 'seed') ?? 1)
  if (!Number.isSafeInteger(seed)) throw usageError('--seed must be a whole number')
  try {
    return generateEstate({ devices, seed })
  } catch (error) {
    throw error instanceof RangeError ? usageError(`--${error.message}`) : error
  }
}

export const demo = async (session: Session, texts: Texts): Promise<number> => {
  const estate = estateFor(texts)
  // Asked first: nobody waits for files that go nowhere.
  await session.connect()
  const folder = await mkdtemp(join(tmpdir(), 'plat-demo-'))
  try {
    await writeEstate(estate, folder)
    return await importEstate(session, new Map([['path', [folder]]]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
