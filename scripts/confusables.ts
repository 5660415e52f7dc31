/**
 * Makes the compact table of confusable characters out of confusables.txt of UTS 39, as Unicode publishes it under security/.
 * `bun scripts/confusables.ts PATH/TO/confusables.txt`, then read the diff. No package of npm keeps up with Unicode: the newest ones are
 * of version 13.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('usage: bun scripts/confusables.ts PATH/TO/confusables.txt')
const text = readFileSync(path, 'utf8')
const version = /^# Version: (\d+\.\d+\.\d+)/m.exec(text)?.[1]
if (version === undefined) throw new Error(`${path} does not say its version`)

/** Maps a code point to the code points that look like it, in hex. */
const sources = new Map<string, string[]>()
const compact = (hex: string): string => Number.parseInt(hex, 16).toString(16)
for (const [, source = '', target = ''] of text.matchAll(/^([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;\s*MA\b/gm)) {
  const key = target.split(' ').map(compact).join(' ')
  sources.set(key, [...(sources.get(key) ?? []), compact(source)])
}
const lines = [...sources].map(([target, from]) => `${target};${from.join(' ')}`)
const head = [
  `# Version ${version}. Made by scripts/confusables.ts of confusables.txt. Copyright Unicode, Inc.; Unicode License v3,`,
  '# https://www.unicode.org/license.txt. What characters look like; the characters, in hex.',
]
writeFileSync(join(import.meta.dirname, '../src/people/users/confusables.txt'), `${[...head, ...lines].join('\n')}\n`)
