/** Makes the static pages of the documentation, for /help/: one of each docs/*.md, without script. Run by web/build.ts. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { toAnchor } from './anchor.ts'

const ROOT = join(import.meta.dirname, '..')
const DOCS = join(ROOT, 'docs')
const START = 'README'

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const toPath = (name: string): string => (name === START ? '/help/' : `/help/${name}`)

/** Returns where a link of a document leads. Undefined for files that are no page. */
const toTarget = (href: string): string | undefined => {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return name === undefined ? undefined : `${toPath(name)}${anchor}`
}

const toPlainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? toPlainText(token.tokens) : ((token as Tokens.Text).text ?? ''),
    )
    .join('')

const createParser = (): Marked =>
  new Marked({
    renderer: {
      heading({ depth, tokens }) {
        return `<h${depth} id="${escapeHtml(toAnchor(toPlainText(tokens)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = toTarget(href)
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`
      },
      image: ({ href, text }) => `<img src="/help/${escapeHtml(href)}" alt="${escapeHtml(text)}" loading="lazy">`,
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token) {
        const toCell = ({ tokens }: Tokens.TableCell, isHead: boolean): string => {
          const text = this.parser.parseInline(tokens)
          return isHead && text !== '' ? `<th scope="col">${text}</th>` : `<td>${text}</td>`
        }
        const toRow = (cells: readonly Tokens.TableCell[], isHead: boolean): string =>
          `<tr>${cells.map((cell) => toCell(cell, isHead)).join('')}</tr>`
        const body = token.rows.map((row) => toRow(row, false)).join('')
        return `<div class="table" tabindex="0"><table><thead>${toRow(token.header, true)}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })

type Page = {
  readonly name: string
  readonly title: string
  readonly body: string
  readonly sections: readonly string[]
}
type Group = { readonly title: string; readonly pages: readonly { readonly name: string; readonly text: string }[] }

const readPage = (name: string): Page => {
  const marked = createParser()
  const tokens = marked.lexer(readFileSync(join(DOCS, `${name}.md`), 'utf8'))
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const [title] = headings
  if (title?.depth !== 1) throw new Error(`docs/${name}.md does not begin with its title`)
  return {
    name,
    title: toPlainText(title.tokens),
    body: marked.parser(tokens),
    sections: headings.filter(({ depth }) => depth === 2).map((one) => toPlainText(one.tokens)),
  }
}

/** Reads the groups of docs/README.md: its headings, and the pages that the lists below them link to. */
const readGroups = (): readonly Group[] =>
  readFileSync(join(DOCS, `${START}.md`), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')).trim(),
      pages: [...part.matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\)/gm)].map(([, text = '', name = '']) => ({
        name,
        text,
      })),
    }))

const MARK =
  '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" d="M2 2.8h12v10.4H2zM2 7.4h7M9 2.8v10.4M9 9.8h5"/></svg>'

const renderNavigation = (groups: readonly Group[], { name, sections }: Page): string => {
  const toItem = (one: Group['pages'][number]): string => {
    const isCurrent = one.name === name
    const parts = sections
      .map((text) => `<li><a href="#${escapeHtml(toAnchor(text))}">${escapeHtml(text)}</a></li>`)
      .join('')
    const below = isCurrent && parts !== '' ? `<ul>${parts}</ul>` : ''
    return `<li><a href="${toPath(one.name)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(one.text)}</a>${below}</li>`
  }
  return groups
    .map(({ title, pages }) => `<h2>${escapeHtml(title)}</h2><ul>${pages.map(toItem).join('')}</ul>`)
    .join('\n')
}

type Assets = { readonly styles: string; readonly icon: string }

const renderPage = (page: Page, groups: readonly Group[], { styles, icon }: Assets): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.name === START ? page.title : `${page.title} · Plat`)}</title>
<link rel="icon" type="image/svg+xml" href="/static/assets/${icon}">
<link rel="stylesheet" href="/static/assets/${styles}">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="/help/">${MARK}<span>Plat documentation</span></a>
<a class="pages" href="#pages">Pages</a>
<a href="/">Back to Plat</a>
<a href="/api/docs">API reference</a>
</header>
<nav id="pages" aria-label="Documentation">
${renderNavigation(groups, page)}
</nav>
<main id="content">
${page.body}</main>
</body>
</html>
`

const findAsset = (files: readonly string[], name: string, ending: string): string => {
  const file = files.find((one) => new RegExp(`^${name}-[\\w-]{8}\\.${ending}$`).test(one))
  if (file === undefined) throw new Error(`the build has no ${name}.${ending}`)
  return file
}

/** Writes the styles: the fonts as they were built, the tokens of the app, and the styles of these pages. */
const writeStyles = (assets: string, files: readonly string[]): string => {
  const toFace = (family: string, file: string): string =>
    `@font-face{font-family:"${family}";font-weight:400 700;font-display:swap;src:url("${file}") format("woff2")}\n`
  const text = [
    toFace('Inter', findAsset(files, 'inter', 'woff2')),
    toFace('Geist Mono', findAsset(files, 'geist-mono', 'woff2')),
    readFileSync(join(ROOT, 'web/src/styles/tokens.css'), 'utf8'),
    readFileSync(join(ROOT, 'web/help.css'), 'utf8'),
  ].join('')
  const name = `help-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`
  writeFileSync(join(assets, name), text)
  return name
}

/** Writes the pages and pictures to `help` in the folder of the built web UI, and their styles to its assets. */
export const buildHelp = (outDir: string): void => {
  const folder = join(outDir, 'assets')
  const files = readdirSync(folder)
  const assets = { styles: writeStyles(folder, files), icon: findAsset(files, 'favicon', 'svg') }
  const help = join(outDir, 'help')
  mkdirSync(help)
  const names = readdirSync(DOCS).flatMap((file) => (file.endsWith('.md') ? [basename(file, '.md')] : []))
  const groups = readGroups()
  const listed = groups.flatMap(({ pages }) => pages.map(({ name }) => name))
  const missing = names.filter((name) => name !== START && !listed.includes(name))
  if (missing.length > 0) throw new Error(`docs/README.md does not name ${missing.join(', ')}`)
  for (const name of names) writeFileSync(join(help, `${name}.html`), renderPage(readPage(name), groups, assets))
  cpSync(join(DOCS, 'images'), join(help, 'images'), { recursive: true })
}
