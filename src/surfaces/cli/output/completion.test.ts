import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCompletionScript, SHELLS } from './completion.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A stand-in for the program: shows its arguments on demand, and offers some difficult names. */
const plat = join(folder, 'plat')
writeFileSync(
  plat,
  `#!/bin/sh
printf '%s|' "$@" >'${folder}/asked'
for last; do :; done
case $last in
  fe80*) echo fe80::1 ;;
  --datacenter=*) echo '--datacenter=US East' ;;
  US*) echo 'US East' ;;
  *) printf '%s\\n' 'a$(touch ${folder}/owned)' 'b c' ;;
esac
`,
)
chmodSync(plat, 0o755)

/** Returns the candidates of bash for a line with the cursor at its end, split into words like readline does. */
const offered = async (line: string, words: readonly string[]): Promise<{ replies: string[]; asked: string }> => {
  const script = `${getCompletionScript('bash')}
COMP_LINE=$1 COMP_POINT=\${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_plat
printf '%s\\n' "\${COMPREPLY[@]}"`
  const run = Bun.spawnSync(['bash', '-c', script, 'bash', line, ...words])
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  const asked = await Bun.file(join(folder, 'asked')).text()
  return { replies: run.stdout.toString().trimEnd().split('\n'), asked }
}

describe.each([...SHELLS])('%s', (shell) => {
  test('the script parses', () => {
    const file = join(folder, `plat.${shell}`)
    writeFileSync(file, getCompletionScript(shell))
    const { exitCode, stderr } = Bun.spawnSync([shell, '-n', file])
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  })
})

describe('bash asks with the words as they are meant', () => {
  test('a new word', async () => {
    const { replies, asked } = await offered(`${plat} device get `, [plat, 'device', 'get', ''])
    expect(asked).toBe('__complete|--|device|get||')
    expect(replies).toEqual([`a\\$\\(touch\\ ${folder}/owned\\)`, 'b\\ c'])
  })

  test('no name runs as a command', async () => {
    await offered(`${plat} device get a`, [plat, 'device', 'get', 'a'])
    expect(await Bun.file(join(folder, 'owned')).exists()).toBe(false)
  })

  test('a colon is part of a word, and only what follows it is replaced', async () => {
    const { replies, asked } = await offered(`${plat} reservation get fe80::`, [
      plat,
      'reservation',
      'get',
      'fe80',
      '::',
    ])
    expect(asked).toBe('__complete|--|reservation|get|fe80::|')
    expect(replies).toEqual(['1'])
  })

  test('so is an equals sign', async () => {
    const { replies } = await offered(`${plat} device list --datacenter=U`, [
      plat,
      'device',
      'list',
      '--datacenter',
      '=',
      'U',
    ])
    expect(replies).toEqual(['US\\ East'])
  })

  test('a name that was quoted before', async () => {
    const { replies, asked } = await offered(`${plat} datacenter get US\\ E`, [plat, 'datacenter', 'get', 'US\\ E'])
    expect(asked).toBe('__complete|--|datacenter|get|US E|')
    expect(replies).toEqual(['US\\ East'])
  })
})
