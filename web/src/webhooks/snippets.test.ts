/** The sample code for receivers accepts deliveries and refuses forgeries, in each language that this machine has. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SNIPPETS } from './snippets.ts'

const SECRET = 'it has "quotes", $blanks and ünicode'
const BODY = '{"event":"device.created","data":{"name":"ü\\n"}}'
const GOOD = `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`
const FORGED = [GOOD.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'sha256=', '', 'nonsense']

const codeIn = (language: string): string => SNIPPETS.find((one) => one.language === language)?.code ?? ''

type Judge = (signature: string) => boolean

const inFolder = <T>(work: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-snippet-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns true if the program exits with status 0.
 * @throws Error if it did not run
 */
const isLetIn = (command: string, args: readonly string[], env: Record<string, string>): boolean => {
  const { status, stderr } = spawnSync(command, args, { input: BODY, env: { ...process.env, ...env } })
  if (status !== 0 && status !== 1) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return status === 0
}

const node: Judge = (signature) =>
  inFolder((folder) => {
    const end = `import { readFileSync } from 'node:fs'
process.exit(isFromPlat(process.env.SECRET, readFileSync(0), process.env.SIGNATURE) ? 0 : 1)`
    writeFileSync(join(folder, 'verify.mjs'), `${codeIn('Node')}\n${end}`)
    return isLetIn('node', [join(folder, 'verify.mjs')], { SECRET, SIGNATURE: signature })
  })

const python: Judge = (signature) => {
  const end = `import os, sys
sys.exit(0 if is_from_plat(os.environ["SECRET"], sys.stdin.buffer.read(), os.environ["SIGNATURE"]) else 1)`
  return isLetIn('python3', ['-c', `${codeIn('Python')}\n${end}`], { SECRET, SIGNATURE: signature })
}

const shell: Judge = (signature) =>
  inFolder((folder) => {
    writeFileSync(join(folder, 'verify.sh'), codeIn('Shell'))
    writeFileSync(join(folder, 'secret'), SECRET)
    return isLetIn('sh', [join(folder, 'verify.sh'), signature], { SECRET_FILE: join(folder, 'secret') })
  })

const isThere = (command: string, version: string): boolean => spawnSync(command, [version]).status === 0

const LANGUAGES = [
  ['Node', node, isThere('node', '--version')],
  ['Python', python, isThere('python3', '--version')],
  ['Shell', shell, isThere('openssl', 'version')],
] as const

for (const [language, judge, isHere] of LANGUAGES) {
  test.skipIf(!isHere)(`${language} accepts a valid delivery`, () => expect(judge(GOOD)).toBe(true))
  test.skipIf(!isHere)(`${language} rejects forgeries`, () => {
    expect(FORGED.map(judge)).toEqual(FORGED.map(() => false))
  })
}
