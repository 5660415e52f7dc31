/** `plat export --as-code` writes files that `plat apply` reads. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getErrorMessage } from '../../contract/unknown.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { sendRequest } from '../../surfaces/cli/connection/client.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { formatEstateSchema } from '../apply/json-schema.ts'
import { SCHEMA_FILE } from './cli-document.ts'

/** The first line of a file that an export has written; editors complete by it. */
const YAML_HEAD = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`
const JSON_HEAD = `{\n"$schema": ${JSON.stringify(SCHEMA_FILE)},\n`

type Format = 'yaml' | 'json'
const HEADS: Readonly<Record<Format, string>> = { yaml: YAML_HEAD, json: JSON_HEAD }

/** Returns the text of each list: in YAML its lines, in JSON its rows. */
const splitLists = (text: string, format: Format): Map<string, string> => {
  if (format === 'json') {
    const lists = Object.entries(JSON.parse(text) as Record<string, readonly unknown[]>)
    return new Map(
      lists.map(([name, rows]) => {
        const lines = rows.map((row) => JSON.stringify(row)).join(',\n')
        return [name, `${JSON_HEAD}${JSON.stringify(name)}: [\n${lines}\n]\n}\n`]
      }),
    )
  }
  // All lines of a list but its name are indented or empty.
  const parts = text.split(/^(?=[a-z][a-z_-]*:\n)/m).filter((part) => part !== '{}\n')
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), YAML_HEAD + part]))
}

const findText = async (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

/** Writes a file completely or not at all. */
const replace = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${process.pid}`
  try {
    // The file contains no credentials, but describes the whole network, so only its owner can read it.
    await writeFile(draft, text, { mode: 0o600 })
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

type Target = { readonly folder: string; readonly format: Format; readonly isForced: boolean }

const writeFolder = async (lists: ReadonlyMap<string, string>, { folder, format, isForced }: Target): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw createUsageError(`can't make ${folder}: ${getErrorMessage(error)}`)
  })
  const paths = INVENTORY.map((resource): [Resource, string] => [resource, join(folder, `${resource}.${format}`)])
  const kept = await Promise.all(
    paths.map(async ([resource, path]) => ({ resource, path, text: await findText(path) })),
  )
  const isOwn = (text: string | undefined) => text?.startsWith(HEADS[format]) === true
  const strange = kept.find(({ resource, text }) => lists.has(resource) && text !== undefined && !isOwn(text))
  if (strange && !isForced)
    throw createUsageError(`${strange.path} is not from plat export --as-code; --force replaces it all the same`)
  for (const { resource, path, text } of kept) {
    const list = lists.get(resource)
    if (list !== undefined) await replace(path, list)
    else if (isOwn(text)) await rm(path)
  }
  await replace(join(folder, SCHEMA_FILE), formatEstateSchema())
}

export const exportAsCode = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  const folder = getText(texts, 'path') ?? '-'
  const format: Format = globals.output === 'json' ? 'json' : 'yaml'
  if (getText(texts, 'as-of') !== undefined) throw createUsageError('--as-code is of the present: it takes no --as-of')
  const query = new URLSearchParams({ format })
  for (const [flag, field] of [
    ['managed-by', 'managed_by'],
    ['resource', 'resource'],
  ] as const) {
    const value = getText(texts, flag)
    if (value !== undefined) query.set(field, value)
  }
  const { transport } = await session.connect()
  const init = { method: 'GET', headers: {}, signal: io.interrupted(), timeout: false }
  const text = await (await sendRequest(transport, `/api/estate/export?${query}`, init)).text()
  if (folder === '-') {
    await io.stdout.write(text)
    return 0
  }
  await writeFolder(splitLists(text, format), { folder, format, isForced: isOn(texts, 'force') })
  if (!globals.isQuiet) await io.stderr.write(`Exported to ${toPrintable(folder)}\n`)
  return 0
}
