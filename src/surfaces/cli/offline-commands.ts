/** The commands that work on this machine's data without HTTP. They load the server's code when they run. */
import { LOG_FORMATS, LOG_LEVELS } from '../../base/runtime/log.ts'
import { toPrintable } from './output/display.ts'
import { type Command, createArgument, createFlag, getText, isOn, type Session, type Texts } from './parse/command.ts'
import { createUsageError } from './parse/usage-error.ts'

/** Settings by variable name, such as `LISTEN_ADDR`. They override the environment. */
export type ServerFlags = Readonly<Record<string, string>>

/** The functions of the server's code that these commands call. */
export type ServerModule = {
  /** Resolves when the server has ended. */
  readonly serve: (flags: ServerFlags) => Promise<unknown>
  readonly migrateOnly: (flags: ServerFlags) => Promise<unknown>
  /** Sets a password, by default a generated one, and returns it. */
  readonly resetPassword: (
    flags: ServerFlags,
    username: string,
    password: string | undefined,
  ) => Promise<{ readonly password?: string }>
  /** Decides if a user signs in by password while passwords are off for others. */
  readonly breakGlass: (flags: ServerFlags, username: string, isOn: boolean) => Promise<BreakGlass>
  /** Ends all credentials of an account. */
  readonly evict: (flags: ServerFlags, username: string) => Promise<Evicted>
  /** Removes the second factors of an account. */
  readonly resetFactors: (flags: ServerFlags, username: string) => Promise<{ readonly username: string }>
}

type BreakGlass = {
  readonly username: string
  readonly isOn: boolean
  readonly isActive: boolean
  readonly hasPassword: boolean
}

/** Says as well what else is missing to sign in. */
const formatBreakGlass = ({ username, isOn, isActive, hasPassword }: BreakGlass): string => {
  const lines = [
    `${username}: ${isOn ? 'may' : 'may no longer'} sign in by password while PASSWORD_SIGN_IN is break-glass`,
    ...(isOn && !hasPassword ? [`  and has no password: plat user reset-password ${username}`] : []),
    ...(isOn && !isActive ? ['  and is deactivated: another user must activate it'] : []),
  ]
  return `${lines.map(toPrintable).join('\n')}\n`
}

/** The ended credentials. The number is missing if sessions could not be counted. */
type Evicted = {
  readonly username: string
  readonly sessions: number | undefined
  readonly keys: readonly { readonly name: string; readonly prefix: string }[]
  readonly clients: readonly string[]
}

const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** One line for all, and one per key and client, so that their owners can be informed. */
const formatEvicted = ({ username, sessions, keys, clients }: Evicted): string => {
  const ended = [
    sessions === undefined ? 'all sessions' : formatCount(sessions, 'session'),
    formatCount(keys.length, 'API key'),
    formatCount(clients.length, 'OAuth grant'),
  ]
  const lines = [
    `${username}: ended ${ended.join(', ')}`,
    ...keys.map(({ name, prefix }) => `  API key ${name} (${prefix}...)`),
    ...clients.map((name) => `  OAuth grant to ${name}`),
  ]
  return `${lines.map(toPrintable).join('\n')}\n`
}

const DATA_FLAGS = [
  createFlag('data-dir', 'Folder of the data file; DATA_DIR', { hint: 'DIR' }),
  createFlag('log-level', 'LOG_LEVEL', { hint: 'LEVEL', choices: LOG_LEVELS }),
  createFlag('log-format', 'LOG_FORMAT', { hint: 'FORMAT', choices: LOG_FORMATS }),
]
const SERVE_FLAGS = [
  createFlag('listen-addr', 'Where to listen, :port or host:port; LISTEN_ADDR', { hint: 'ADDR' }),
  ...DATA_FLAGS,
  createFlag('dev-mode', 'For trials on this machine: no limits, plain http; DEV_MODE'),
]

const toVariable = (name: string): string => name.toUpperCase().replaceAll('-', '_')

const readSettings = (texts: Texts): ServerFlags =>
  Object.fromEntries(
    SERVE_FLAGS.flatMap(({ field }) => {
      const text = getText(texts, field)
      return text === undefined ? [] : [[toVariable(field), text]]
    }),
  )

/** Reads one line, as `echo secret |` sends it. */
const readPassword = async ({ io }: Session, texts: Texts): Promise<string | undefined> =>
  isOn(texts, 'password-stdin') ? new TextDecoder().decode(await io.stdin.readAll()).replace(/\r?\n$/, '') : undefined

/** Creates the commands. Each command is one line here. */
export const createOfflineCommands = (load: () => Promise<ServerModule>): Command[] => {
  const serve: Omit<Command, 'words'> = {
    summary: 'Start the server',
    description: 'Every setting is an environment variable too; a flag overrides it.',
    spec: () => ({ args: [], flags: SERVE_FLAGS }),
    run: async (_, texts) => {
      await (await load()).serve(readSettings(texts))
      return 0
    },
  }
  return [
    { ...serve, words: ['serve'] },
    { ...serve, words: ['server'], isHidden: true },
    {
      words: ['migrate'],
      summary: 'Migrate the data to the schema of this version without starting the server',
      spec: () => ({ args: [], flags: DATA_FLAGS }),
      run: async (_, texts) => {
        await (await load()).migrateOnly(readSettings(texts))
        return 0
      },
    },
    {
      words: ['user', 'reset-password'],
      summary: 'Give a user of the server on this machine a new password',
      description:
        'Works on the data itself, for use when no user can sign in. Without --password-stdin a password is generated and shown.',
      spec: () => ({
        args: [createArgument('username', 'The user')],
        flags: [createFlag('password-stdin', 'Read the new password from standard input'), ...DATA_FLAGS],
      }),
      run: async (session, texts) => {
        const username = getText(texts, 'username')
        if (username === undefined) throw createUsageError('USERNAME missing')
        const given = await readPassword(session, texts)
        const { password } = await (await load()).resetPassword(readSettings(texts), username, given)
        if (password !== undefined) await session.io.stdout.write(`${password}\n`)
        return 0
      },
    },
    {
      words: ['user', 'break-glass'],
      summary: 'Let a user of the server on this machine sign in by password while PASSWORD_SIGN_IN is break-glass',
      description: 'Works on the data itself, for use when the identity provider is away. --off takes it back.',
      spec: () => ({
        args: [createArgument('username', 'The user')],
        flags: [createFlag('off', 'The user may not'), ...DATA_FLAGS],
      }),
      run: async (session, texts) => {
        const username = getText(texts, 'username')
        if (username === undefined) throw createUsageError('USERNAME missing')
        const server = await load()
        const changed = await server.breakGlass(readSettings(texts), username, !isOn(texts, 'off'))
        await session.io.stdout.write(formatBreakGlass(changed))
        return 0
      },
    },
    {
      words: ['user', 'reset-2fa'],
      summary: 'Remove all second factors of a user of the server on this machine',
      description:
        'Works on the data itself, for a user who has lost them. The user is signed out everywhere; the password and the API keys remain. A running server follows within a second.',
      spec: () => ({ args: [createArgument('username', 'The user')], flags: DATA_FLAGS }),
      run: async (session, texts) => {
        const username = getText(texts, 'username')
        if (username === undefined) throw createUsageError('USERNAME missing')
        const reset = await (await load()).resetFactors(readSettings(texts), username)
        await session.io.stdout.write(`${toPrintable(reset.username)}: has no second factor now\n`)
        return 0
      },
    },
    {
      words: ['user', 'evict'],
      summary: 'End all sessions, API keys and OAuth grants of a user of the server on this machine',
      description:
        'Works on the data itself, for an emergency. The user, the roles and the password remain: plat user reset-password sets another one. A running server rejects the user within a second.',
      spec: () => ({ args: [createArgument('username', 'The user')], flags: DATA_FLAGS }),
      run: async (session, texts) => {
        const username = getText(texts, 'username')
        if (username === undefined) throw createUsageError('USERNAME missing')
        await session.io.stdout.write(formatEvicted(await (await load()).evict(readSettings(texts), username)))
        return 0
      },
    },
  ]
}
