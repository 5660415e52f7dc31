/** The recipes of CONTRIBUTING.md as edits, and a copy of the code that they are applied to. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Lines that go into a file of the code. */
export type Edit = {
  /** From the root of the repository. */
  readonly file: string
  readonly add: readonly string[]
} & Anchor

/** The text of the line that they go after or before, without its indentation; it stands exactly once in the file. */
type Anchor = { readonly after: string } | { readonly before: string }

export type NewFile = { readonly file: string; readonly text: string }

export type Recipe = { readonly edits: readonly Edit[]; readonly files: readonly NewFile[] }

const ROOT = resolve(import.meta.dir, '../..')
const COPIED = [
  ...['src', 'web', 'scripts', 'golden', 'docs', 'tests', 'testing', 'e2e', 'bench', 'packaging', 'examples'],
  ...[
    'package.json',
    'package-lock.json',
    'LICENSE',
    'tsconfig.json',
    'biome.json',
    'plat',
    'AGENTS.md',
    'CONTRIBUTING.md',
    'README.md',
    'STYLE.md',
  ],
]

/** @throws Error naming the file and the line, if the line is not there exactly once */
export const applyEdit = (text: string, edit: Edit): string => {
  const { file, add } = edit
  const anchor = 'after' in edit ? edit.after : edit.before
  const lines = text.split('\n')
  const places = lines.flatMap((line, index) => (line.trim() === anchor ? [index] : []))
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`${file} has ${places.length} lines "${anchor}"; the recipe in CONTRIBUTING.md needs one`)
  return lines.toSpliced('after' in edit ? place + 1 : place, 0, ...add).join('\n')
}

/** Returns the number of places that are changed by hand: edited files and new ones, on the server or in `web/`. */
export const countChanges = ({ edits, files }: Recipe): { readonly server: number; readonly web: number } => {
  const places = [...new Set([...edits, ...files].map(({ file }) => file))]
  const web = places.filter((file) => file.startsWith('web/')).length
  return { server: places.length - web, web }
}

const edited = (root: string, { edits }: Recipe): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const edit of edits)
    texts.set(edit.file, applyEdit(texts.get(edit.file) ?? readFileSync(join(root, edit.file), 'utf8'), edit))
  return texts
}

/** Copies the code into a folder and applies a recipe. The folder uses the packages of this one. */
export const copyInto = (root: string, recipe: Recipe): void => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(root, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const [file, text] of edited(root, recipe)) writeFileSync(join(root, file), text)
  for (const { file, text } of recipe.files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}

/** Returns a folder with the code and the recipe applied to it, and the function that removes it. */
export const copyWith = (recipe: Recipe): { readonly root: string; readonly remove: () => void } => {
  const root = mkdtempSync(join(tmpdir(), 'plat-recipe-'))
  copyInto(root, recipe)
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

type Run = { readonly args: readonly string[]; readonly dialects: string }

/** Runs bun in the copy, with tests on some engines. @throws Error with the output of a process that failed */
export const runBunIn = async (root: string, { args, dialects }: Run): Promise<string> => {
  const env = { ...process.env, NODE_ENV: 'production', PLAT_TEST_DIALECTS: dialects }
  const child = Bun.spawn([process.execPath, ...args], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`bun ${args.join(' ')}: ${out}\n${err}`)
  return out + err
}

/** Runs bun in the copy, with tests on SQLite. @throws Error with the output of a process that failed */
export const bunIn = (root: string, ...args: readonly string[]): Promise<string> =>
  runBunIn(root, { args, dialects: 'sqlite' })
