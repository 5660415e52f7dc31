/** The command line as a separate process: its start and its pipes. */
import { expect, test } from 'bun:test'
import { dirname, join, resolve } from 'node:path'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const scanner = new Bun.Transpiler({ loader: 'ts' })

/** Returns the packages that a file loads at its start, through every static import of ours. */
const packagesOf = async (file: string, seen = new Set<string>()): Promise<string[]> => {
  if (seen.has(file) || !file.endsWith('.ts')) return []
  seen.add(file)
  const found = scanner.scanImports(await Bun.file(file).text()).filter((one) => one.kind === 'import-statement')
  const deep = await Promise.all(
    found.map(({ path }) => (path.startsWith('.') ? packagesOf(resolve(dirname(file), path), seen) : [path])),
  )
  return [...new Set(deep.flat())]
}

test('it starts without a package: zod and the registry cost most of a start', async () => {
  const packages = [...(await packagesOf(MAIN)), ...(await packagesOf(join(import.meta.dir, '../../src/app/cli.ts')))]
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([])
})

test('--version', () => {
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, MAIN, '--version'])
  expect(exitCode).toBe(0)
  expect(stdout.toString()).toMatch(/^plat \d+\.\d+\.\d+\n$/)
})

test('a closed output pipe is no failure', () => {
  const script = `set -o pipefail; { sleep 0.2; "$0" "$1" --help; } | true; echo "$?"`
  const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script, process.execPath, MAIN])
  expect({ stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({ stdout: '0\n', stderr: '' })
})

test('a disk that is full is one', () => {
  const { stderr, exitCode } = Bun.spawnSync(['bash', '-c', '"$0" "$1" --help >/dev/full', process.execPath, MAIN])
  expect(exitCode).toBe(1)
  expect(stderr.toString()).toStartWith('error: ENOSPC')
})
