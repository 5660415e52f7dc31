import { describe, expect, test } from 'bun:test'
import { FORMATS } from './fields.ts'
import { renderHtml, renderMessage, toRequestUrl } from './formats.ts'
import { formatLine } from './line.ts'
import { buildTitle, type Message, type MessageLine } from './message.ts'

const NTFY = 'https://ntfy.example/base/my-topic'
const TELEGRAM = 'https://api.telegram.org/bot1:abc/sendMessage?chat_id=-100'

const line = (text: string, link = ''): MessageLine => ({ text, link })
const message = (more: Partial<Message> = {}): Message => ({
  ...{ title: 'Device deleted', lines: [line('Device core-1 was removed')], more: 0, severity: 'warning' },
  ...{ link: '', at: '2026-06-01T12:00:00.000Z' },
  ...more,
})
type Format = Parameters<typeof renderMessage>[0]
const render = (format: Format, of: Message, url = format === 'ntfy' ? NTFY : TELEGRAM): object =>
  JSON.parse(renderMessage(format, of, url)) as object

const linked = message({
  lines: [line('Device core-1 was removed', 'https://plat.example/devices')],
  ...{ more: 3, link: 'https://plat.example' },
})

describe('a message', () => {
  test('is a header and sections in Slack', () => {
    expect(render('slack', linked)).toEqual({
      text: 'Device deleted\n• <https://plat.example/devices|Device core-1 was removed>\nand 3 more',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Device deleted', emoji: false } },
        {
          type: 'section',
          text: {
            ...{ type: 'mrkdwn', verbatim: true },
            text: '• <https://plat.example/devices|Device core-1 was removed>\nand 3 more',
          },
        },
      ],
    })
  })
  test('is an Adaptive Card of literal texts in Teams', () => {
    expect(render('teams', linked)).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            ...{ type: 'AdaptiveCard', version: '1.4' },
            body: [
              {
                type: 'RichTextBlock',
                inlines: [
                  { type: 'TextRun', text: 'Device deleted', size: 'Medium', weight: 'Bolder', color: 'Warning' },
                ],
              },
              {
                type: 'RichTextBlock',
                inlines: [
                  {
                    ...{ type: 'TextRun', text: '• Device core-1 was removed' },
                    selectAction: { type: 'Action.OpenUrl', url: 'https://plat.example/devices' },
                  },
                ],
              },
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '• and 3 more' }] },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open Plat', url: 'https://plat.example' }],
          },
        },
      ],
    })
  })
  test('is an embed that mentions no one in Discord', () => {
    expect(render('discord', linked)).toEqual({
      embeds: [
        {
          title: 'Device deleted',
          description: '• [Device core\\-1 was removed](https://plat.example/devices)\nand 3 more',
          url: 'https://plat.example',
          color: 0xf59e0b,
          timestamp: '2026-06-01T12:00:00.000Z',
        },
      ],
      allowed_mentions: { parse: [] },
    })
  })
  test('names its topic in ntfy', () => {
    expect(render('ntfy', linked)).toEqual({
      ...{ topic: 'my-topic', title: 'Device deleted', message: '• Device core-1 was removed\nand 3 more' },
      ...{ priority: 4, tags: ['warning'], click: 'https://plat.example' },
    })
  })
  test('names its chat in Telegram', () => {
    expect(render('telegram', linked)).toEqual({
      chat_id: '-100',
      text: '<b>Device deleted</b>\n• <a href="https://plat.example/devices">Device core-1 was removed</a>\nand 3 more',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
  })
  test('is plain text in Apprise', () => {
    expect(render('apprise', linked)).toEqual({
      title: 'Device deleted',
      body: '• Device core-1 was removed\n  https://plat.example/devices\nand 3 more',
      ...{ type: 'warning', format: 'text' },
    })
  })
  test('is a subject and a text in a mail', () => {
    const mail = render('email', linked) as { subject: string; text: string }
    expect(mail).toEqual({
      subject: '[Plat] Device deleted',
      text: 'Device deleted\n\n• Device core-1 was removed\n  https://plat.example/devices\nand 3 more\n\nhttps://plat.example',
    })
    expect(renderHtml(mail.text)).toContain('<a href="https://plat.example/devices">https://plat.example/devices</a>')
  })
  test('has no links where Plat does not know its address', () => {
    for (const format of FORMATS)
      if (format !== 'generic') expect(JSON.stringify(render(format, message()))).not.toContain('plat.example')
  })
})

test.each<['ntfy' | 'telegram' | 'slack', string, string]>([
  ['ntfy', NTFY, 'https://ntfy.example/base/'],
  ['ntfy', 'https://ntfy.sh/topic/', 'https://ntfy.sh/'],
  ['telegram', TELEGRAM, 'https://api.telegram.org/bot1:abc/sendMessage'],
  ['slack', 'https://hooks.slack.com/services/x?y=1', 'https://hooks.slack.com/services/x?y=1'],
])('%s is sent from %s to %s', (format, url, target) => {
  expect(toRequestUrl(format, url)).toBe(target)
})

const MEGABYTE = 'x'.repeat(1_000_000)
const HOSTILE = [
  '@everyone',
  '@here and @channel',
  '<!channel>',
  '<@U1>',
  '*bold* _it_ ~no~ `code` [click](https://evil.example) ![](https://evil.example/x)',
  '# heading',
  '<script>alert(1)</script><img src=x onerror=alert(1)>&amp;',
  'a\r\nBcc: everyone@example.com\r\n\r\nbody',
  'safe\u202egnp.exe\u2066\u200f',
  '"}],"blocks":[',
  '<https://evil.example|click>',
  '</a><a href="https://evil.example">click</a>',
  MEGABYTE,
]
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/u

/** Returns all texts of a body. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

test.each([
  ['proposal.opened', { username: 'ada' }, 'Proposal 7 "Move rack B" was opened by ada'],
  ['proposal.commented', { username: 'bob', text: 'Why?' }, 'Proposal 7 "Move rack B" was commented by bob: Why?'],
  ['proposal.closed', { username: 'bob', close_reason: 'rejected' }, 'Proposal 7 "Move rack B" was rejected by bob'],
  ['proposal.closed', { username: '', close_reason: 'expired' }, 'Proposal 7 "Move rack B" has expired'],
])('the event %s of %o has a line and the page of the proposal', (event, more, text) => {
  const data = JSON.stringify({ id: 'x', number: 7, title: 'Move rack B', text: '', ...more })
  expect(formatLine({ event, resource_id: 'x', data }, new Map())).toEqual({ line: text, link: '/proposals/7' })
})

const lineOf = (name: string): MessageLine => {
  const data = JSON.stringify({ id: 'x', name, status: 'active', changes: ['name'] })
  return line(
    formatLine({ event: 'device.updated', resource_id: 'x', data }, new Map()).line,
    'https://plat.example/devices/x',
  )
}

describe.each(HOSTILE)('the name %p', (name) => {
  const hostile = message({
    lines: Array.from({ length: 20 }, () => lineOf(name)),
    title: buildTitle({ events: ['device.updated'], eventCount: 20, objectCount: 20, digest: '' }),
    more: 280,
  })
  const texts = (format: Format) => textsOf(render(format, hostile))

  test('has no control character and no mark of direction in any format, and bounded texts', () => {
    for (const format of FORMATS) {
      if (format === 'generic') continue
      const lines = texts(format).flatMap((text) => text.split('\n'))
      expect(lines.filter((one) => UNSEEN.test(one))).toEqual([])
      expect(renderMessage(format, hostile, format === 'ntfy' ? NTFY : TELEGRAM).length).toBeLessThan(40_000)
    }
  })

  test('mentions no one', () => {
    for (const format of ['slack', 'teams', 'discord', 'telegram', 'apprise'] as const)
      for (const text of texts(format)) expect(text).not.toMatch(/@(everyone|here|channel|U1)/)
    for (const text of texts('slack')) expect(text).not.toMatch(/<[!@#]/)
    for (const text of texts('discord')) expect(text).not.toMatch(/(?<!\\)<[@#&!]/)
  })

  test('adds no link and no markup', () => {
    for (const text of texts('slack')) {
      expect(text.match(/<[^|>]*\|/g)?.filter((one) => one !== '<https://plat.example/devices/x|') ?? []).toEqual([])
      expect(text).not.toContain('](')
    }
    for (const text of texts('telegram'))
      expect(text.match(/<\/?[a-z]+/g)?.filter((tag) => !/^<\/?[ab]$/.test(tag)) ?? []).toEqual([])
    for (const text of texts('telegram')) expect(text).not.toContain('<a href="https://evil')
    for (const text of texts('discord'))
      expect(text).not.toMatch(/(?<!\\)\]\((?!https:\/\/plat\.example\/devices\/x\))/)
    const { subject, text } = render('email', hostile) as { subject: string; text: string }
    expect(subject).not.toMatch(/[\r\n]/)
    expect(text).not.toMatch(/^Bcc:/m)
    expect(renderHtml(text)).not.toMatch(/<(script|img)|href="https:\/\/evil/)
  })

  test('keeps the limits of each service', () => {
    const slack = render('slack', hostile) as { text: string; blocks: { text: { text: string } }[] }
    expect(slack.blocks.length).toBeLessThanOrEqual(50)
    expect(slack.blocks[0]?.text.text.length).toBeLessThanOrEqual(150)
    for (const { text } of slack.blocks) expect(text.text.length).toBeLessThanOrEqual(3000)
    expect(slack.text.length).toBeLessThanOrEqual(4000)
    const discord = render('discord', hostile) as { embeds: { title: string; description: string }[] }
    expect(discord.embeds[0]?.title.length).toBeLessThanOrEqual(256)
    expect(discord.embeds[0]?.description.length).toBeLessThanOrEqual(4096)
    expect((render('telegram', hostile) as { text: string }).text.length).toBeLessThanOrEqual(4096)
    expect(Buffer.byteLength((render('ntfy', hostile) as { message: string }).message)).toBeLessThanOrEqual(4096)
    // Teams takes 28 KB.
    expect(Buffer.byteLength(renderMessage('teams', hostile, TELEGRAM))).toBeLessThanOrEqual(28_000)
  })

  test('leaves room for the count of what is left out', () => {
    for (const format of ['slack', 'teams', 'discord', 'ntfy', 'telegram', 'apprise', 'email'] as const)
      expect(texts(format).some((text) => /and \d+ more/.test(text))).toBe(true)
  })
})

test('a text of wide characters keeps the bytes of ntfy', () => {
  const wide = message({ lines: Array.from({ length: 20 }, () => line('漢'.repeat(290))) })
  expect(Buffer.byteLength((render('ntfy', wide) as { message: string }).message)).toBeLessThanOrEqual(4096)
})

describe('a title', () => {
  test.each([
    [{ events: ['device.deleted'], eventCount: 300, objectCount: 300, digest: '' }, 'Device deleted (300)'],
    [{ events: ['device.updated'], eventCount: 12, objectCount: 1, digest: '' }, 'Device updated'],
    [
      { events: ['device.created', 'pool.updated'], eventCount: 3, objectCount: 2, digest: '' },
      '3 events of 2 objects',
    ],
    [{ events: ['device_type.created'], eventCount: 1, objectCount: 1, digest: '' }, 'Device type created'],
    [{ events: [], eventCount: 0, objectCount: 0, digest: 'daily' }, 'Daily digest'],
    [
      { events: ['device.created'], eventCount: 2, objectCount: 2, digest: 'weekly' },
      'Weekly digest: Device created (2)',
    ],
  ])('of %j is %p', (composed, title) => {
    expect(buildTitle(composed)).toBe(title)
  })
})
