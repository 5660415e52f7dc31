/**
 * The server modules that the UI may import, and rules for all of its files. Each rule is shown to fail on a made-up
 * offender.
 */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { cycles } from '../../testing/rules/cycles.ts'

const ROOT = import.meta.dirname
/** Maps paths from web/src to texts. */
type Sources = ReadonlyMap<string, string>

const sources: Sources = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|css)$/.test(path) && !path.includes('.test.'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
)

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/** Server modules that also run in a browser: the facts of resources, the names of kinds, the texts of custom fields, the formats of feeds, the recordings of hosts, the places in racks, the VLANs and the figures of networks, the client, the words of an impact, the numbers of the protocol of scanners, addresses, CSV. */
const SHARED =
  /^(net\/(words\/)?[\w-]+|convert\/formats|resource\/(facts|nouns|custom\/(condition-fields|next-text))|inventory\/(resources|sheets|kinds\/names|[\w-]+\/resource|racks\/placement|used-addresses\/utilization|vlans\/vlan-scope)|exchange\/(feeds\/catalogue|import\/recordings)|record\/history\/kind-names|base\/(csv|sheets)\/[\w-]+|contract\/(command-name|errors|idempotency-key|impact-summary)|scanner\/wire|surfaces\/cli\/(connection\/(client|foreign-answer)|parse\/command-text))\.ts$/
const TYPES_ALONE = /^(app\/contracts|\w+\/([\w-]+\/)*([\w-]+-)?(api|schema)|convert\/protocol|kernel\/operation)\.ts$/

const ofServer = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) =>
    [...text.matchAll(IMPORT)].flatMap(([, isType, fixed, dynamic]) => {
      const target = relative(join(ROOT, '../../src'), resolve(ROOT, dirname(path), fixed ?? dynamic ?? ''))
      if (target.startsWith('..') || SHARED.test(target)) return []
      return TYPES_ALONE.test(target) && isType !== undefined ? [] : [`${path} -> ${target}`]
    }),
  )

const fileCycles = (files: Sources): string[] =>
  cycles(
    [...files].flatMap(([path, text]) =>
      [...text.matchAll(IMPORT)].map(
        ([, , fixed, dynamic]) => [path, relative(ROOT, resolve(ROOT, dirname(path), fixed ?? dynamic ?? ''))] as const,
      ),
    ),
  )

const MAX_FILES = 20
const crowded = (files: Sources): string[] =>
  [
    ...Map.groupBy(
      [...files.keys()].filter((path) => /\.tsx?$/.test(path)),
      (path) => dirname(path),
    ),
  ]
    .filter(([, paths]) => paths.length > MAX_FILES)
    .map(([folder, paths]) => `${folder} has ${paths.length} files`)

const MAX_LINES = 300
const long = (files: Sources): string[] =>
  [...files].filter(([path, text]) => path.endsWith('x') && text.split('\n').length > MAX_LINES).map(([path]) => path)

const rawColours = (files: Sources): string[] =>
  [...files]
    .filter(
      ([path, text]) =>
        path.endsWith('.css') && path !== 'styles/tokens.css' && /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i.test(text),
    )
    .map(([path]) => path)

/** The content security policy would block each of them, but only when the code runs. */
const unsafe = (files: Sources): string[] =>
  [...files]
    .filter(([, text]) => /dangerouslySetInnerHTML|\binnerHTML\b|\beval\(|new Function\(/.test(text))
    .map(([path]) => path)

const rules: readonly (readonly [string, (files: Sources) => string[], Readonly<Record<string, string>>])[] = [
  [
    'the UI uses of the server the contracts, the facts of resources, the client, the maths of addresses, and CSV',
    ofServer,
    { 'a.ts': "import { x } from '../../src/kernel/kernel.ts'" },
  ],
  [
    'contracts are used for their types alone, which keeps Zod out of the browser',
    ofServer,
    { 'a.ts': "import { devices } from '../../src/inventory/devices/api.ts'" },
  ],
  [
    'files form no cycle, of types either',
    fileCycles,
    { 'a.ts': "import { b } from './b.ts'", 'b.ts': "import type { A } from './a.ts'" },
  ],
  [`components have at most ${MAX_LINES} lines`, long, { 'a.tsx': 'x\n'.repeat(MAX_LINES + 1) }],
  [
    `a folder has at most ${MAX_FILES} files`,
    crowded,
    Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, i) => [`ui/a${i}.ts`, ''])),
  ],
  ['colours have names', rawColours, { 'ui/a.css': 'a { color: #fff }' }],
  ['no text becomes HTML or a script', unsafe, { 'a.tsx': 'element.innerHTML = text' }],
]

describe.each(rules)('%s', (_, check, offender) => {
  test('holds', () => expect(check(sources)).toEqual([]))
  test('fails where it is broken', () => expect(check(new Map(Object.entries(offender)))).not.toEqual([]))
})
