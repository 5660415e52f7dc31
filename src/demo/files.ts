/** Writes an estate to the files that `plat import` reads. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { RESOURCES } from '../features/estate/cli-resources.ts'
import type { Estate } from './estate.ts'

/** Rows per write: some hundred kilobytes. */
const ROWS = 1000

function* jsonArray(rows: Iterable<object>): Generator<string> {
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

/** One file per resource, into a folder that exists. */
export const writeEstate = async (estate: Estate, folder: string): Promise<void> => {
  for (const resource of RESOURCES) {
    const file = await open(join(folder, `${resource}.json`), 'w')
    try {
      for (const piece of jsonArray(estate[resource])) await file.write(piece)
    } finally {
      await file.close()
    }
  }
}
