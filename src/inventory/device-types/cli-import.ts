/** Implements `plat device-type import`: reads files and folders, checks each, and sends them in few requests. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import type { OutputOf } from '../../kernel/operation.ts'
import { readJson, send } from '../../surfaces/cli/connection/client.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { getProposal, tellProposal, withProposal } from '../../surfaces/cli/output/preview.ts'
import { isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { readProposal } from '../../surfaces/cli/parse/proposal-flags.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { deviceTypes, type ImportedType } from './api.ts'
import { readLibrary } from './library.ts'

/** The limit of one request, which takes up to 8 MiB. */
const MOST_CHARACTERS = 4 * 1024 * 1024

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name)

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

/** The folder of device types in a clone of the library. Beside it are module types, rack types, schemas and tests. */
const DEVICE_TYPES = 'device-types'
const OTHER_TYPES = /(?:^|[\\/])((?:module|rack|platform|module-bay)-types)[\\/]/

/** Returns the files of a folder, of a clone of the library only its device types. Hidden files and folders are left out. */
const findFiles = async (path: string): Promise<string[]> => {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path, { withFileTypes: true })
  const isLibrary = names.some((entry) => entry.isDirectory() && entry.name === DEVICE_TYPES)
  const root = isLibrary ? join(path, DEVICE_TYPES) : path
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && isYaml(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/[\\/]\./.test(file.slice(root.length)))
    .sort(byText)
}

/** @throws AppError for a file of the library that holds a type of something else */
const checkFolder = (file: string): void => {
  const [, folder] = OTHER_TYPES.exec(file) ?? []
  if (folder !== undefined) throw createUsageError(`${file}: is in ${folder}, and only device types are imported`)
}

/** @throws AppError for a file that cannot be read or is no device type */
const readLibraryFile = async (path: string): Promise<string> => {
  checkFolder(resolve(path))
  const text = await readFile(path, 'utf8')
  try {
    await readLibrary(text)
  } catch (error) {
    throw error instanceof AppError ? createUsageError(`${path}: ${error.message}`) : error
  }
  return text
}

const readLibraryFiles = async (paths: readonly string[]): Promise<string[]> => {
  try {
    const files = (await Promise.all(paths.map(findFiles))).flat()
    if (files.length === 0) throw createUsageError('no .yaml or .yml file was found')
    const texts: string[] = []
    for (const file of files) texts.push(await readLibraryFile(file))
    return texts
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw createUsageError(getErrorMessage(error))
    throw error
  }
}

/** Returns the texts as the bodies of few requests. */
const joinIntoBodies = (texts: readonly string[]): string[] => {
  const bodies: string[] = []
  for (const text of texts) {
    const last = bodies.at(-1)
    const joined = `${last}\n---\n${text}`
    if (last !== undefined && joined.length <= MOST_CHARACTERS) bodies[bodies.length - 1] = joined
    else bodies.push(text)
  }
  return bodies
}

/** Fields of ports stand several times in a document, so they have their number and their first value. */
const formatLeft = ({ field, count, example }: ImportedType['left'][number]): string =>
  field.includes('.') ? `${field} (${count}, such as ${example})` : field

const formatLine = ({ name, outcome, left }: ImportedType): string =>
  toPrintable(`${outcome}: ${name}${left.length > 0 ? `; left out: ${left.map(formatLeft).join(', ')}` : ''}`)

/** @returns the exit code */
export const importTypes = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  const paths = texts.get('paths') ?? []
  if (paths.length === 0) throw createUsageError('name files or folders')
  const bodies = joinIntoBodies(await readLibraryFiles(paths))
  const { transport } = await session.connect()
  const all: ImportedType[] = []
  const dry_run = isOn(texts, 'dry-run')
  let proposal = readProposal(texts)
  let number: string | null = null
  for (const yaml of bodies) {
    const input = { yaml, ...(dry_run && { dry_run }), ...(proposal !== undefined && { proposal }) }
    const response = await send(transport, deviceTypes.import, input)
    // A large library becomes several operations of one proposal.
    number = getProposal(response) ?? number
    proposal = number ?? proposal
    // The server's tests check that its answers have the type of the contract.
    all.push(...((await readJson(transport, response)) as OutputOf<typeof deviceTypes.import>).device_types)
  }
  const count = (outcome: ImportedType['outcome']) => all.filter((one) => one.outcome === outcome).length
  const counts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
  if (globals.output === 'json') {
    const answer = withProposal({ ...counts, device_types: all }, number)
    await io.stdout.write(`${JSON.stringify(answer)}\n`)
  } else if (!globals.isQuiet || number === null) {
    if (!globals.isQuiet) for (const type of all) await io.stdout.write(`${formatLine(type)}\n`)
    const { created, updated, unchanged } = counts
    await io.stdout.write(`${created} created, ${updated} updated, ${unchanged} unchanged\n`)
  }
  await tellProposal(session, transport, number)
  return 0
}
