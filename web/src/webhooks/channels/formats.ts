/** The services that a webhook can send to: their names, and the URL that each needs. */
import type { Webhook } from '../queries.ts'

export type Format = Webhook['format']

type Service = {
  readonly name: string
  /** Says whose URL it takes, on its tile. */
  readonly about: string
  /** Says what to paste, under the field of the URL. */
  readonly paste: string
  readonly placeholder: string
}

/** In the order of the tiles. */
export const SERVICES: Readonly<Record<Format, Service>> = {
  generic: {
    name: 'A program',
    about: 'Each event as JSON, at once',
    paste: 'Each event is sent there as a POST of JSON.',
    placeholder: 'https://...',
  },
  slack: {
    name: 'Slack',
    about: 'Also Mattermost and Rocket.Chat',
    paste: 'The URL of an incoming webhook: the app at api.slack.com, Incoming Webhooks, Add New Webhook.',
    placeholder: 'https://hooks.slack.com/services/...',
  },
  teams: {
    name: 'Teams',
    about: 'A workflow of a channel',
    paste:
      'The URL of a workflow that posts to a channel when a webhook request is received: the menu of the channel, Workflows.',
    placeholder: 'https://...',
  },
  discord: {
    name: 'Discord',
    about: 'The webhook of a channel',
    paste: 'The URL of a webhook: the settings of the channel, Integrations, Webhooks.',
    placeholder: 'https://discord.com/api/webhooks/...',
  },
  ntfy: {
    name: 'ntfy',
    about: 'A topic, for phones',
    paste: 'The server and the topic. A login goes into a header: Authorization with Bearer and the token.',
    placeholder: 'https://ntfy.sh/my-topic',
  },
  telegram: {
    name: 'Telegram',
    about: 'A bot in a chat',
    paste: 'The URL of the bot with its token from @BotFather and the id of the chat.',
    placeholder: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>',
  },
  email: {
    name: 'E-mail',
    about: 'One mail to all addresses',
    paste: 'The addresses with commas between them, after mailto: at most 50.',
    placeholder: 'mailto:noc@example.com,oncall@example.com',
  },
  apprise: {
    name: 'Apprise',
    about: 'A hundred other services',
    paste: 'The URL of an Apprise API with the key of your services.',
    placeholder: 'https://apprise.example.com/notify/my-key',
  },
}

// `Object.keys` returns `string[]`.
export const FORMATS = Object.keys(SERVICES) as readonly Format[]

export const toFormat = (text: string | undefined): Format => FORMATS.find((format) => format === text) ?? 'generic'

const SECRET: readonly Format[] = ['slack', 'teams', 'discord', 'telegram']

/** True for a service with a secret URL, which is not shown again. */
export const hasSecretUrl = (format: Format): boolean => SECRET.includes(format)
