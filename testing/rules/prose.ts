/**
 * The rules of docs/glossary.md for the language of comments, titles of tests, messages and documents. `readSource` and `readDocument`
 * extract the prose of a file. `proseFindings` checks the prose of one folder, `figureFindings` the comments of one area.
 */

/** One comment, one text for a user, or one paragraph of a document. */
export type Passage = {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly isComment: boolean
}

/** Terms that are not used, each with a plain replacement. */
const TERMS: readonly (readonly [RegExp, string])[] = [
  [/\bwho(m)?ever\b/gi, 'name the person or the process: a client, the caller, a user who'],
  // As an object they are plain English: "shown to nobody".
  [
    /(?<!\b(?:to|for|of|by|from|with|as|at|on|than) )\b(?:nobody|somebody)\b(?!'s)/gi,
    'name the subject, or use the passive',
  ],
  [/\banew\b/gi, '"again"'],
  [/\bmeanwhile\b/gi, '"concurrently", "until then"'],
  [/\bin vain\b/gi, '"without effect", "fails"'],
  [/\blet(?:s|ting)? go\b/gi, '"releases", "closes"'],
  [/\bis told\b/gi, '"receives", "is notified"'],
  [/\bis through\b/gi, '"has finished"'],
  [/\bthat there (?:is|are)\b/gi, '"existing", "present", or leave it out'],
]

/** British spellings, with the American ones. `cancelled` is a status of the API, and good American too. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/(?<!-)\b(?:behaviour|colour|favour|flavour|harbour|honour|labour|neighbour)\w*/gi, '"-or": behavior, neighbor'],
  [
    /\b(?:un)?(?:authoris|capitalis|centralis|customis|initialis|maximis|minimis|normalis|optimis|organis|prioritis|randomis|recognis|serialis|standardis|summaris|synchronis|utilis(?!ateur)|virtualis|visualis)(?=e|i|a|er)\w*/gi,
    '"-ize": recognize, organization',
  ],
  [/\b(?:catalogue|dialogue)s?\b/gi, '"catalog", "dialog"'],
  [/\b(?:centre|fibre|litre|metre)s?\b/gi, '"-er": center, meter'],
  [/\b(?:defence|licence|offence)s?\b/gi, '"-se": license'],
  [/\b(?:label|level|model|signal|total|travel|tunnel)led\b/gi, 'one l: labeled'],
  [/\b(?:acknowledgement|artefact|judgement)s?\b/gi, '"judgment", "artifact"'],
  [/\b(?:learnt|misspelt|spelt|fulfils?|grey)\b/gi, '"learned", "misspelled", "fulfill", "gray"'],
]

/** Words that have another meaning, in texts of the web UI and in documents. Paths and names of the API keep theirs. */
const TEXT_TERMS: readonly (readonly [RegExp, string])[] = [
  [/\bpromot\w*(?!.*\b(?:standbys?|primary|PostgreSQL|ETag)\b)(?<!\b(?:standbys?|primary)\b.*)/gi, '"document"'],
  [
    /\baccept\w*(?=[^.]*\b(?:inbox|discovered|observations?)\b)|(?<=\b(?:inbox|observations?)\b[^.]*)\baccept\w*/gi,
    '"document"',
  ],
  [/\b(?:discovery|scan|network's) rules?\b|\brules? (?:of the network|that scans?)\b/gi, '"schedule"'],
  [/\b(?:DNS|name server) providers?\b/g, '"DNS server"'],
  [/\b(?:SSO|OIDC|sign-in) providers?\b/gi, '"identity provider"'],
  [/\b(?:rack|unit) space\b|\bspace (?:in|of) (?:a|the|each) rack\b/gi, '"units"'],
]
const WITH_TEXT_TERMS = /^web\/|^docs\/(?!decisions\/|glossary\.md|high-availability\.md)|^README\.md$/

const OPENING = /^(?:What|Who|Whether|Those)\b/
const OWN = /\bof (?:its|their|his|her|our) own\b/gi
const WHAT = /\bwhat\b/gi

const MOST_WHATS = 2 / 1000
const MOST_OPENINGS = 2 / 100
const MOST_OWNS = 1 / 1000

const PREPOSITION = /^(?:Of|As|By|With|Without)\b/
const MOST_PREPOSITIONS = 1 / 100

const OPENING_RULE = 'at most 2 % of the comments open with What, Who, Whether or Those'
const PREPOSITION_RULE = 'at most 1 % of the comments open with Of, As, By, With or Without: begin with the subject'

/** Words that are rare in the comments of other projects, with the permitted share of all words of comments. */
const RARE_WORDS: readonly { readonly word: RegExp; readonly most: number; readonly rule: string }[] = [
  { word: WHAT, most: MOST_WHATS, rule: 'at most 2 in 1,000 words of comments' },
  { word: /\bthose\b/gi, most: 0.5 / 1000, rule: 'at most 0.5 in 1,000 words of comments: name the objects' },
  {
    // "Leaves it alone" and "stands alone" are plain English.
    word: /(?<!\b(?:leav\w*|left|let|lets|stand|stands)(?: [\w-]+){0,3} )\balone\b/gi,
    most: 0.2 / 1000,
    rule: 'at most 0.2 in 1,000 words of comments: write "only"',
  },
  { word: /\bwhose\b/gi, most: 0.5 / 1000, rule: 'at most 0.5 in 1,000 words of comments: write "its" or "with"' },
]

const wordCount = (passages: readonly Passage[]): number =>
  passages.reduce((sum, { text }) => sum + (text.match(/[A-Za-z][\w'-]*/g)?.length ?? 0), 0)

const matches = (passages: readonly Passage[], pattern: RegExp): string[] =>
  passages.flatMap(({ path, line, text }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const excerpt = text.slice(Math.max(0, index - 30), index + found.length + 30)
      return `${path}:${line}: "${found}" in "${excerpt.trim()}"`
    }),
  )

const refused = (passages: readonly Passage[], terms: readonly (readonly [RegExp, string])[]): string[] =>
  terms.flatMap(([term, remedy]) => matches(passages, term).map((one) => `${one}: write ${remedy}`))

/** The occurrences beyond the permitted number. One is always permitted, so that a small folder may have it. */
const excess = (found: readonly string[], permitted: number, rule: string): string[] =>
  found.slice(Math.max(1, Math.floor(permitted))).map((one) => `${one}: ${rule}`)

const openings = (comments: readonly Passage[], opening: RegExp): string[] =>
  comments
    .filter(({ text }) => opening.test(text))
    .map(({ path, line, text }) => `${path}:${line}: "${text.slice(0, 60)}"`)

/** Checks the passages of one folder. @returns one line for each finding, with its place and its remedy */
export const proseFindings = (passages: readonly Passage[]): string[] => {
  const comments = passages.filter(({ isComment }) => isComment)
  return [
    ...refused(passages, [...TERMS, ...SPELLINGS]),
    ...refused(
      passages.filter(({ path, isComment }) => !isComment && WITH_TEXT_TERMS.test(path)),
      TEXT_TERMS,
    ),
    ...excess(matches(passages, OWN), wordCount(passages) * MOST_OWNS, 'at most 1 in 1,000 words'),
    ...excess(matches(comments, WHAT), wordCount(comments) * MOST_WHATS, 'at most 2 in 1,000 words of comments'),
    ...excess(openings(comments, OPENING), comments.length * MOST_OPENINGS, OPENING_RULE),
  ]
}

/** Checks the comments of one area, which is large enough for shares. @returns one line for each excess occurrence */
export const figureFindings = (passages: readonly Passage[]): string[] => {
  const comments = passages.filter(({ isComment }) => isComment)
  const words = wordCount(comments)
  return [
    ...excess(openings(comments, OPENING), comments.length * MOST_OPENINGS, OPENING_RULE),
    ...excess(openings(comments, PREPOSITION), comments.length * MOST_PREPOSITIONS, PREPOSITION_RULE),
    ...RARE_WORDS.flatMap(({ word, most, rule }) => excess(matches(comments, word), words * most, rule)),
  ]
}

const TOKEN = new RegExp(
  [
    /(?<comment>\/\*[\s\S]*?\*\/|(?:(?<![:\\])\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+)/,
    /(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)/,
    // A regular expression stands where a value is expected. It may hold quotes.
    /(?<pattern>(?<=[(,=:[!&|?{;]\s*|\breturn )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const JSX_TEXT = />([^<>{}=;]*[A-Za-z][^<>{}=;]*)(?=[<{])/g

/** @returns the line of an index. The indexes of the calls must not fall. */
const lineCounter = (text: string) => {
  let line = 1
  let next = text.indexOf('\n')
  return (index: number): number => {
    for (; next !== -1 && next < index; next = text.indexOf('\n', next + 1)) line += 1
    return line
  }
}
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()
const commentText = (comment: string): string =>
  flat(
    comment
      .replace(/^\/\*+|\*+\/$/g, '')
      .replace(/^[ \t]*(?:\/\/+|\*(?!\/))/gm, '')
      .replace(/`[^`\n]*`/g, '``'),
  )
const stringText = (string: string): string => flat(string.slice(1, -1).replace(/\$\{[^}]*\}/g, '$'))

/** A text for people has words; a class list, a path or a key has no sentence. */
const isSentence = (text: string): boolean => /[A-Za-z']+ [A-Za-z']+ [A-Za-z']+/.test(text)

/** A title stands behind `test(`, `describe(`, `test.skipIf(...)(`, or behind the cases of `test.each(...)(`. */
const BEFORE_TITLE = /\b(?:test|describe)(?:\.\w+\([^()]*\))?\(\s*$|\n\s*\](?: as const)?\)\(\s*$/

/** @returns comments and titles of tests, and outside of tests also the texts in strings and in JSX */
export const readSource = (path: string, text: string): Passage[] => {
  const withTexts = !/\.test\.tsx?$|^e2e\/|\/testing\//.test(path)
  const isText = (token: string, index: number): boolean =>
    withTexts ? isSentence(token) : BEFORE_TITLE.test(text.slice(Math.max(0, index - 200), index))
  const passages: Passage[] = []
  const lineOf = lineCounter(text)
  const rest = text.replace(TOKEN, (token, ...more) => {
    const { comment, string } = more.at(-1) as { comment?: string; string?: string }
    const index = more.at(-3) as number
    const read = comment !== undefined ? commentText(comment) : string !== undefined ? stringText(string) : ''
    if (read !== '' && (comment !== undefined || isText(read, index)))
      passages.push({ path, line: lineOf(index), text: read, isComment: comment !== undefined })
    return token.replace(/[^\n]/g, ' ')
  })
  if (withTexts && path.endsWith('.tsx')) {
    const lineOfJsx = lineCounter(text)
    for (const { 1: jsx = '', index } of rest.matchAll(JSX_TEXT))
      if (isSentence(flat(jsx))) passages.push({ path, line: lineOfJsx(index), text: flat(jsx), isComment: false })
  }
  return passages
}

/** @returns the lines of a Markdown document without its code */
export const readDocument = (path: string, text: string): Passage[] =>
  text
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line, i) => ({ path, line: i + 1, text: line.replace(/`[^`]*`/g, '``'), isComment: false }))
    .filter((passage) => passage.text.trim() !== '')
