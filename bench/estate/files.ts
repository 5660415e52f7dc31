/** Writes generated estate to files that `plat import` reads. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { findResource } from '../../src/exchange/cli/cli-resources.ts'
import type { Estate } from './estate.ts'

/** Rows per write: some hundred kilobytes. */
const ROWS = 1000

function* formatJsonArray(rows: Iterable<object>): Generator<string> {
  let open: string[] = []
  let isFirst = true
  const piece = () => {
    const text = `${isFirst ? '[\n' : ',\n'}${open.join(',\n')}`
    isFirst = false
    open = []
    return text
  }
  for (const row of rows) {
    open.push(JSON.stringify(row))
    if (open.length === ROWS) yield piece()
  }
  if (open.length > 0 || isFirst) yield piece()
  yield '\n]\n'
}

export const writeRows = async (path: string, rows: Iterable<object>): Promise<void> => {
  const file = await open(path, 'w')
  try {
    for (const piece of formatJsonArray(rows)) await file.write(piece)
  } finally {
    await file.close()
  }
}

/** Writes one file per resource of an import into an existing folder. */
export const writeEstate = async (estate: Estate, folder: string): Promise<void> => {
  for (const [name, rows] of Object.entries<Iterable<object>>(estate))
    if (findResource(name)) await writeRows(join(folder, `${name}.json`), rows)
}
