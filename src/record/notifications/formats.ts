/** The bodies of messages: a pure function for each format. Names come from the network, so each escapes them by its own rules. */
import { cutText, escapeHtml, neutralizeMentions } from './clean-text.ts'
import type { Format } from './fields.ts'
import { formatMore, joinLines, type Message, type MessageLine, type Severity } from './message.ts'

/** @param url the stored URL */
type Render = (message: Message, url: string) => object

/** Slack: a header has at most 150 characters, a section 3,000, a message 50 blocks. */
const SLACK_SECTION = 3000
const SLACK_TEXT = 3000
/** Discord: the title of an embed has at most 256 characters, its description 4,096. */
const DISCORD_TITLE = 256
const DISCORD_DESCRIPTION = 4096
/** Telegram: the text of a message has at most 4,096 characters. */
const TELEGRAM_TEXT = 4096
/** ntfy makes an attachment of a message of more bytes. */
const NTFY_BYTES = 4096

const BULLET = '• '
const withMark = (text: string): string => `${BULLET}${text}`

/** Escapes text until the escaped form would be too long. */
const escapeWithin = (text: string, render: (text: string) => string, max: number): string => {
  for (let length = text.length; ; length--) {
    const escaped = render(cutText(text, length))
    if (escaped.length <= max || length === 0) return escaped
  }
}

const NO_BREAK = '\u200b'

/** Slack and Mattermost format `*text*` and `[text](address)`: a character of zero width prevents it, as there is no escape. */
const breakMarkdown = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/gu, `$&${NO_BREAK}`).replace(/\](?=\()/g, `]${NO_BREAK}`)

const SLACK: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeSlack = (text: string): string =>
  neutralizeMentions(breakMarkdown(text)).replace(/[&<>]/g, (sign) => SLACK[sign] ?? sign)

/** `|` ends the address of a link. */
const renderSlackLine = ({ text, link }: MessageLine): string =>
  withMark(link === '' ? escapeSlack(text) : `<${link}|${escapeSlack(text).replaceAll('|', '¦')}>`)

/** Packs the lines into as few sections as possible. */
const buildSlackSections = ({ lines, more }: Message): object[] => {
  const texts = [...lines.map(renderSlackLine), ...(more > 0 ? [formatMore(more)] : [])]
  const sections: string[] = []
  for (const text of texts) {
    const last = sections.at(-1)
    if (last !== undefined && last.length + 1 + text.length <= SLACK_SECTION) sections.splice(-1, 1, `${last}\n${text}`)
    else sections.push(cutText(text, SLACK_SECTION))
  }
  // `verbatim`: Slack looks for no addresses, channels and mentions.
  return sections.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }))
}

const renderSlack: Render = (message) => ({
  // Notifications of Slack show it, and Mattermost and Rocket.Chat show only it.
  text: `${escapeSlack(message.title)}\n${joinLines(message, { render: renderSlackLine, max: SLACK_TEXT })}`.trim(),
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: message.title, emoji: false } },
    ...buildSlackSections(message),
  ],
})

const TEAMS_COLORS: Readonly<Record<Severity, string>> = { info: 'Default', warning: 'Warning', critical: 'Attention' }

/** The text of a run is no Markdown. */
const buildRun = (text: string, more: object): object => ({ type: 'TextRun', text: neutralizeMentions(text), ...more })

const buildTeamsLine = ({ text, link }: MessageLine): object => ({
  type: 'RichTextBlock',
  inlines: [buildRun(withMark(text), link === '' ? {} : { selectAction: { type: 'Action.OpenUrl', url: link } })],
})

const renderTeams: Render = ({ title, lines, more, severity, link }) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          {
            type: 'RichTextBlock',
            inlines: [buildRun(title, { size: 'Medium', weight: 'Bolder', color: TEAMS_COLORS[severity] })],
          },
          ...lines.map(buildTeamsLine),
          ...(more > 0 ? [buildTeamsLine({ text: formatMore(more), link: '' })] : []),
        ],
        ...(link === '' ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open Plat', url: link }] }),
      },
    },
  ],
})

const DISCORD_COLORS: Readonly<Record<Severity, number>> = { info: 0x3b82f6, warning: 0xf59e0b, critical: 0xef4444 }

const escapeDiscord = (text: string): string =>
  neutralizeMentions(text).replace(/[\\*_~`|<>[\]()#:-]/g, (sign) => `\\${sign}`)

const renderDiscordLine = ({ text, link }: MessageLine): string =>
  withMark(link === '' ? escapeDiscord(text) : `[${escapeDiscord(text)}](${link})`)

const renderDiscord: Render = (message) => ({
  embeds: [
    {
      title: escapeWithin(message.title, escapeDiscord, DISCORD_TITLE),
      description: joinLines(message, { render: renderDiscordLine, max: DISCORD_DESCRIPTION }),
      ...(message.link === '' ? {} : { url: message.link }),
      color: DISCORD_COLORS[message.severity],
      timestamp: message.at,
    },
  ],
  allowed_mentions: { parse: [] },
})

const NTFY_PRIORITIES: Readonly<Record<Severity, number>> = { info: 3, warning: 4, critical: 5 }
const NTFY_TAGS: Readonly<Record<Severity, string>> = {
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
}

/** Returns the text with as many lines as fit into a number of bytes. */
const joinWithinBytes = (message: Message, bytes: number): string => {
  for (let max = bytes; ; max -= 64) {
    const text = joinLines(message, { render: ({ text }) => withMark(text), max })
    if (Buffer.byteLength(text) <= bytes || max <= 0) return text
  }
}

const getLastSegment = (url: string): string => new URL(url).pathname.split('/').findLast((part) => part !== '') ?? ''

const renderNtfy: Render = (message, url) => ({
  topic: getLastSegment(url),
  title: message.title,
  message: joinWithinBytes(message, NTFY_BYTES),
  priority: NTFY_PRIORITIES[message.severity],
  tags: [NTFY_TAGS[message.severity]],
  ...(message.link === '' ? {} : { click: message.link }),
})

const escapeTelegram = (text: string): string => escapeHtml(neutralizeMentions(text))

const renderTelegramLine = ({ text, link }: MessageLine): string =>
  withMark(link === '' ? escapeTelegram(text) : `<a href="${escapeHtml(link)}">${escapeTelegram(text)}</a>`)

const renderTelegram: Render = (message, url) => {
  const title = `<b>${escapeTelegram(message.title)}</b>\n`
  return {
    chat_id: new URL(url).searchParams.get('chat_id') ?? '',
    text: title + joinLines(message, { render: renderTelegramLine, max: TELEGRAM_TEXT - title.length }),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  }
}

const APPRISE_TYPES: Readonly<Record<Severity, string>> = { info: 'info', warning: 'warning', critical: 'failure' }

/** Returns a line with its address behind it. */
const renderPlainLine = ({ text, link }: MessageLine): string => withMark(link === '' ? text : `${text}\n  ${link}`)

const MAX_PLAIN = 32_768

const renderApprise: Render = (message) => ({
  title: neutralizeMentions(message.title),
  body: joinLines(message, { render: (line) => neutralizeMentions(renderPlainLine(line)), max: MAX_PLAIN }),
  type: APPRISE_TYPES[message.severity],
  format: 'text',
})

/** A mail as it is stored. Its HTML is made of the text. */
export type MailBody = { readonly subject: string; readonly text: string }

const renderEmail = (message: Message): MailBody => ({
  subject: `[Plat] ${message.title}`,
  text: [
    message.title,
    joinLines(message, { render: renderPlainLine, max: MAX_PLAIN }),
    ...(message.link === '' ? [] : [message.link]),
  ].join('\n\n'),
})

const RENDERERS: Readonly<Record<Exclude<Format, 'generic'>, Render>> = {
  slack: renderSlack,
  teams: renderTeams,
  discord: renderDiscord,
  ntfy: renderNtfy,
  telegram: renderTelegram,
  apprise: renderApprise,
  email: renderEmail,
}

/** Returns the body of a message, as it is stored and sent. */
export const renderMessage = (format: Exclude<Format, 'generic'>, message: Message, url: string): string =>
  JSON.stringify(RENDERERS[format](message, url))

/** Returns the HTML of the text of a mail. Only a line that is an address of Plat becomes a link. */
export const renderHtml = (text: string): string => {
  const lines = text.split('\n').map((line) => {
    const link = /^ *(https?:\/\/\S+)$/.exec(line)?.[1]
    return link === undefined ? escapeHtml(line) : `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`
  })
  return `<!doctype html><html><body><p>${lines.join('<br>\n')}</p></body></html>`
}

/** Returns the URL of the request of a format. ntfy takes the topic in the body, Telegram the chat. */
export const toRequestUrl = (format: Format, url: string): string => {
  if (format === 'ntfy') return url.replace(/[?#].*$/, '').replace(/[^/]+\/*$/, '')
  return format === 'telegram' ? url.replace(/[?#].*$/, '') : url
}
