// The build empties its output folder, so it must be named.
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('a build without a folder fails, and keeps the current folder', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'plat-build-'))
  try {
    const file = join(cwd, 'file')
    writeFileSync(file, '')
    const command = [process.execPath, '--no-env-file', join(import.meta.dirname, '../build.ts')]
    const build = Bun.spawn(command, { cwd, stdout: 'ignore', stderr: 'pipe' })
    const [text, code] = await Promise.all([new Response(build.stderr).text(), build.exited])
    expect({ code, isKept: existsSync(file), isNamed: text.includes('output folder') }).toEqual({
      code: 1,
      isKept: true,
      isNamed: true,
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}, 60_000)
