/** The files that the rules of prose.ts apply to, and the numbers of findings that are recorded in golden/prose.txt. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { figureFindings, type Passage, proseFindings, readDocument, readSource } from './prose.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const RECORD = join(ROOT, 'golden/prose.txt')

const FOLDERS = ['src', 'web', 'docs', 'e2e', 'scripts', 'bench', 'packaging', 'examples', 'tests', 'testing']
/** Migrations on main are never edited, nor are their comments. This file and its test hold the terms that are refused. */
const EXEMPT = /^src\/database\/migrations\/\d|^testing\/rules\/prose|^tests\/prose\.test|\/dist\/|\.d\.m?ts$/

/** Returns the sources and documents of the repository, by their paths from its root. */
export const listProseFiles = (): string[] => [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path}`)
      .filter((path) => /\.(tsx?|mjs|md)$/.test(path) && !EXEMPT.test(path)),
  ),
]

const passagesOf = (path: string): Passage[] => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return path.endsWith('.md') ? readDocument(path, text) : readSource(path, text)
}

/** @returns the findings of every folder of the repository, by its path, sorted */
export const findingsByFolder = (): ReadonlyMap<string, readonly string[]> => {
  const folders = Map.groupBy(listProseFiles().toSorted(), (path) => dirname(path))
  return new Map([...folders].map(([folder, files]) => [folder, proseFindings(files.flatMap(passagesOf))]))
}

/** @returns the area of a file: its folder of the first level, of which `src` has one for each of its own folders */
export const getArea = (path: string): string => path.match(/^src\/[^/]+(?=\/)|^[^/]+(?=\/)/)?.[0] ?? '.'

/** @returns the findings of `figureFindings` for every area of the repository, by its name */
export const figureFindingsByArea = (): ReadonlyMap<string, readonly string[]> => {
  const areas = Map.groupBy(listProseFiles().toSorted(), getArea)
  return new Map([...areas].map(([area, files]) => [area, figureFindings(files.flatMap(passagesOf))]))
}

/** @returns the recorded number of each folder; a folder that is absent has none */
export const recorded = (): ReadonlyMap<string, number> => {
  const text = existsSync(RECORD) ? readFileSync(RECORD, 'utf8') : ''
  return new Map([...text.matchAll(/^ *(\d+) (\S+)$/gm)].map(([, count, folder = '']) => [folder, Number(count)]))
}

/** @returns the text of the record. A number only falls: a folder with more findings than recorded keeps its number */
export const proseText = (): string => {
  const before = recorded()
  return [...findingsByFolder()]
    .map(([folder, { length }]) => [folder, Math.min(length, before.get(folder) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([folder, count]) => `${String(count).padStart(4)} ${folder}`)
    .join('\n')
}
