/**
 * The language rules of docs/glossary.md, for comments, titles of tests, messages, help texts and documents. The number of findings of a
 * folder is recorded in golden/prose.txt and only falls. Each rule is shown to fail on a made-up offender.
 */
import { describe, expect, test } from 'bun:test'
import { figureFindings, type Passage, proseFindings, readDocument, readSource } from '../testing/rules/prose.ts'
import { figureFindingsByArea, findingsByFolder, getArea, recorded } from '../testing/rules/prose-files.ts'

const findings = findingsByFolder()
const record = recorded()

describe('the language of the repository', () => {
  test('has no folder with more findings than golden/prose.txt records', () => {
    const worse = [...findings].filter(([folder, { length }]) => length > (record.get(folder) ?? 0))
    expect(
      worse.map(([folder, found]) => ({ folder, recorded: record.get(folder) ?? 0, now: found.length, found })),
    ).toEqual([])
  })

  test('has no folder with fewer findings than recorded: lower its number with `npm run golden`', () => {
    const better = [...record].filter(([folder, count]) => (findings.get(folder)?.length ?? 0) < count)
    expect(
      better.map(([folder, count]) => ({ folder, recorded: count, now: findings.get(folder)?.length ?? 0 })),
    ).toEqual([])
  })

  test('has no area with a figure of its comments above the permitted one', () => {
    const worse = [...figureFindingsByArea()].filter(([, { length }]) => length > 0)
    expect(worse.map(([area, found]) => ({ area, found }))).toEqual([])
  })

  test.each([
    ['src/database/query/order.ts', 'src/database'],
    ['src/inventory/pools/pools.ts', 'src/inventory'],
    ['src/app/server.ts', 'src/app'],
    ['web/src/pools/pool-page.tsx', 'web'],
    ['README.md', '.'],
  ])('has %s in the area %s', (path, area) => {
    expect(getArea(path)).toBe(area)
  })
})

const plain = (n: number): Passage[] =>
  Array.from({ length: n }, () => ({
    path: 'src/a.ts',
    line: 1,
    text: 'Returns the addresses of a pool in ascending order, without those that a device uses.',
    isComment: true,
  }))
const comment = (text: string): Passage => ({ path: 'src/b.ts', line: 7, text, isComment: true })
const text = (sentence: string): Passage => ({ ...comment(sentence), isComment: false })

describe('a rule of the language', () => {
  test.each([
    ['whoever', 'Whoever waits is served.'],
    ['whomever', 'Shown to whomever it concerns.'],
    ['nobody as a subject', 'A lock that nobody holds.'],
    ['somebody as a subject', 'Somebody was quicker.'],
    ['anew', 'The server starts anew.'],
    ['meanwhile', 'It has changed meanwhile.'],
    ['in vain', 'Waits in vain for an answer.'],
    ['let go', 'The lock is let go at the end.'],
    ['lets go', 'Lets go of the connection.'],
    ['is told', 'The process is told to end.'],
    ['is through', 'Returns when the copy is through.'],
    ['that there is', 'Reads every row that there is.'],
    ['that there are', 'Reads all rows that there are.'],
  ])('refuses "%s" with its file and line', (_, sentence) => {
    for (const passage of [comment(sentence), text(sentence)])
      expect(proseFindings([...plain(200), passage])).toEqual([expect.stringContaining('src/b.ts:7')])
  })

  test.each([
    'Shown to nobody.',
    'Returns the address of a device.',
    'Tells the time.',
    'Closes the connection and lets the goal stand.',
    'Reads through a cache.',
  ])('permits "%s"', (sentence) => {
    expect(proseFindings([comment(sentence)])).toEqual([])
  })

  test.each([
    ['neighbour', 'Reads the neighbours of a switch.'],
    ['colour', 'Colours follow the theme.'],
    ['recognise', 'A device is recognised by its MAC.'],
    ['organisation', 'The account of the organisation.'],
    ['catalogue', 'An event of the catalogue.'],
    ['metre', 'A length in metres.'],
    ['licence', 'A licence of two lines.'],
    ['labelled', 'The address is labelled ssh.'],
    ['learnt', 'A switch has learnt the MAC.'],
  ])('refuses the British spelling "%s"', (_, sentence) => {
    for (const passage of [comment(sentence), text(sentence)])
      expect(proseFindings([...plain(200), passage])).toEqual([expect.stringContaining('src/b.ts:7')])
  })

  test.each([
    'Otherwise the size of the promise comes first.',
    'A cancelled scan keeps its results.',
    'The catalog has a dialog for licenses and meters.',
    'Prints ip-neighbour and utilization.',
  ])('permits the spelling of "%s"', (sentence) => {
    expect(proseFindings([text(sentence)])).toEqual([])
  })

  const shown = (path: string, sentence: string) => proseFindings([{ ...text(sentence), path }]).length

  test.each([
    'Promotes two devices.',
    'To accept an item of the inbox writes it.',
    'An observation that you accept is written.',
    'A scan rule runs at night.',
    'Zones are sent to a DNS provider.',
    'A sign-in provider names the groups.',
    'The space of a rack is used up.',
  ])('refuses "%s" in the web UI and in documents', (sentence) => {
    expect([shown('web/src/a.tsx', sentence), shown('docs/a.md', sentence), shown('src/a.ts', sentence)]).toEqual([
      1, 1, 0,
    ])
  })

  test.each([
    'A standby is promoted in order.',
    'The promotion of another primary takes seconds.',
    'A server that accepts connections.',
    'A rule of the language.',
    'An identity provider names the groups.',
    'The space of an address.',
  ])('permits "%s" in documents', (sentence) => {
    expect(shown('docs/a.md', sentence)).toBe(0)
  })

  test('permits 2 "what" in 1,000 words of comments, and refuses the third', () => {
    const about = (n: number) => [...plain(80), ...Array.from({ length: n }, () => comment('Says what it does.'))]
    expect([proseFindings(about(2)).length, proseFindings(about(3)).length]).toEqual([0, 1])
  })

  test('permits any number of "what" in a text', () => {
    expect(proseFindings(Array.from({ length: 9 }, () => text('Choose what to export.')))).toEqual([])
  })

  test.each(['What', 'Who', 'Whether', 'Those'])('permits 2 %% of comments to open with %s', (word) => {
    const about = (n: number) => [...plain(2000), ...Array.from({ length: n }, () => comment(`${word} remains.`))]
    expect([proseFindings(about(40)).length, proseFindings(about(41)).length]).toEqual([0, 1])
  })

  test('permits "of its own" once in 1,000 words', () => {
    const about = (n: number) => [...plain(80), ...Array.from({ length: n }, () => comment('Has a file of its own.'))]
    expect([proseFindings(about(1)).length, proseFindings(about(2)).length]).toEqual([0, 1])
  })
})

describe('a figure of an area', () => {
  /** 100 comments of 10 words, with `n` of them replaced by the sentence. */
  const area = (sentence: string, n: number, words = 1000): Passage[] => [
    ...Array.from({ length: words / 10 - n }, () =>
      comment('Returns the addresses of a pool in their ascending order.'),
    ),
    ...Array.from({ length: n }, () => comment(sentence)),
  ]
  const count = (sentence: string, n: number, words?: number) => figureFindings(area(sentence, n, words)).length

  test.each(['Who', 'Whether'])('permits 2 %% of comments to open with %s', (word) => {
    const sentence = `${word} has the addresses of a pool in their ascending order.`
    expect([count(sentence, 2), count(sentence, 3)]).toEqual([0, 1])
  })

  test.each(['Of', 'As', 'By', 'With', 'Without'])('permits 1 %% of comments to open with %s', (word) => {
    const sentence = `${word} a pool of addresses that are in ascending order.`
    expect([count(sentence, 2, 2000), count(sentence, 3, 2000)]).toEqual([0, 1])
  })

  test('permits a comment that has a preposition inside or opens with a longer word', () => {
    expect(count('Office hours of a clerk, as a list with names.', 90)).toBe(0)
    expect(count('Asks the servers without a pause.', 90)).toBe(0)
  })

  test.each([
    ['what', 'Returns the rest of what a pool has as its addresses.', 2],
    ['those', 'Returns the addresses of pools and those of free networks.', 0.5],
    ['alone', 'Returns the addresses of the pools in a network alone.', 0.2],
    ['whose', 'Returns the addresses of a pool whose network is free.', 0.5],
  ])('permits few "%s" in the words of comments', (_, sentence, per1000) => {
    const most = per1000 * 10
    expect([count(sentence, most, 10_000), count(sentence, most + 1, 10_000)]).toEqual([0, 1])
  })

  test('permits "alone" if it does not mean "only"', () => {
    expect(count('Leaves the indexes alone in each write of the addresses.', 30)).toBe(0)
    expect(count('The tables stand alone and have indexes in a file.', 30)).toBe(0)
  })

  test('permits one occurrence in a small area', () => {
    expect(figureFindings([comment('Without the pools whose network is known.')])).toEqual([])
  })

  test('counts comments only', () => {
    expect(figureFindings(Array.from({ length: 9 }, () => text('Those whose pool is alone.')))).toEqual([])
  })
})

describe('the prose of a source', () => {
  const read = (path: string, source: string) =>
    readSource(path, source).map((passage) => [passage.line, passage.text, passage.isComment])

  test('is its comments, each one whole', () => {
    const source = '/**\n * One\n * two.\n */\nconst a = 1 // three\n\n// four\n// five\nb()'
    expect(read('src/a.ts', source)).toEqual([
      [1, 'One two.', true],
      [5, 'three', true],
      [7, 'four five', true],
    ])
  })

  test('is the sentences in its strings, and no keys, paths and code', () => {
    const source =
      "f('id', 'a/b/c', 'holds // no comment at all', \"It isn't a number\")\nconst c = `Adds $" + '{n} to the list`' // one template
    expect(read('src/a.ts', source)).toEqual([
      [1, 'holds // no comment at all', false],
      [1, "It isn't a number", false],
      [2, 'Adds $ to the list', false],
    ])
  })

  test('is the text between the tags of a component', () => {
    const source =
      'const a = (\n  <p className="x y z">\n    Saved a minute ago <b>{n}</b> by a colleague of yours\n  </p>\n)'
    expect(read('web/src/a.tsx', source).map(([, found]) => found)).toContain('Saved a minute ago')
    expect(read('web/src/a.tsx', source).map(([, found]) => found)).toContain('by a colleague of yours')
  })

  test('is not ended by a regular expression that holds a quote', () => {
    expect(read('src/a.ts', "const a = s.replace(/['\"`]/g, '') // one\n// two")).toEqual([[1, 'one two', true]])
  })

  test('is, of a test file, its comments and its titles', () => {
    const source = "test('nobody comes to it', () => f('a text that is data')) // why\n"
    const each = "test.each([1, 2])('%p is told', g)\ndescribe.each([\n  'a case of data',\n])('anew', h)"
    expect(read('src/a.test.ts', source + each)).toEqual([
      [1, 'nobody comes to it', false],
      [1, 'why', true],
      [2, '%p is told', false],
      [5, 'anew', false],
    ])
  })
})

test('the prose of a document is its text without the code', () => {
  const lines = readDocument('docs/a.md', '# A title\n\n```sh\nwhoever\n```\nRun `plat whoever` now.')
  expect(lines.map(({ line, text: words }) => [line, words])).toEqual([
    [1, '# A title'],
    [6, 'Run `` now.'],
  ])
})
