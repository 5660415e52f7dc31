/** The hand-written commands of the client. They load their code when they run. */

import { getCompletionScript, SHELLS } from './output/completion.ts'
import { type Command, createArgument, createFlag, getText, isOn } from './parse/command.ts'
import { loadCommands } from './parse/load-commands.ts'
import { createUsageError } from './parse/usage-error.ts'

const loginCommand: Command = {
  words: ['login'],
  summary: 'Sign in and store an API key for this machine',
  description: 'Prompts for missing values. The key is stored in the config directory, readable by you alone.',
  spec: () => ({
    args: [],
    flags: [
      createFlag('username', 'The user who signs in', { hint: 'NAME' }),
      createFlag('name', 'Name of the key', { hint: 'KEYNAME' }),
      createFlag('password-stdin', 'Read the password from standard input'),
      createFlag('sso', 'Sign in on a page of the server, in any way; for a host without a browser too'),
      createFlag('code', 'The code of your authenticator app, or a recovery code; a terminal is asked for it', {
        hint: 'CODE',
      }),
    ],
  }),
  run: async (session, texts) =>
    isOn(texts, 'sso')
      ? (await import('./connection/sso-login.ts')).ssoLogin(session, texts)
      : (await import('./connection/login.ts')).login(session, texts),
}

const logoutCommand: Command = {
  words: ['logout'],
  summary: 'Delete the API key of plat login, here and on the server',
  spec: () => ({ args: [], flags: [createFlag('local', 'Delete it only here')] }),
  run: async (session, texts) => (await import('./connection/login.ts')).logout(session, texts),
}

const completionCommand: Command = {
  words: ['completion'],
  summary: 'Print the completion script of a shell',
  description:
    'bash: source <(plat completion bash)   zsh: source <(plat completion zsh)   fish: plat completion fish | source',
  spec: () => ({ args: [createArgument('shell', '', { choices: SHELLS })], flags: [] }),
  run: async ({ io }, texts) => {
    const shell = SHELLS.find((one) => one === getText(texts, 'shell'))
    if (!shell) throw createUsageError(`SHELL must be one of ${SHELLS.join(', ')}`)
    await io.stdout.write(getCompletionScript(shell))
    return 0
  },
}

const manualCommand: Command = {
  words: ['manual'],
  summary: 'Print the manual page of every command and setting',
  description: 'plat manual | man -l -',
  spec: () => ({ args: [], flags: [] }),
  run: async ({ io, program }) => {
    const [commands, { formatManualPage }] = await Promise.all([loadCommands(program), import('./output/manual.ts')])
    await io.stdout.write(formatManualPage(commands, program.version))
    return 0
  },
}

const healthcheckCommand: Command = {
  words: ['healthcheck'],
  summary: 'Check by the exit code that the server answers, for monitoring',
  description: 'Calls the server at PLAT_URL, or else the one of this machine at LISTEN_ADDR. Needs no key.',
  spec: () => ({ args: [], flags: [createFlag('ready', 'Check that it is ready for work, not only that it answers')] }),
  run: async (session, texts) => (await import('./healthcheck.ts')).healthcheck(session, texts),
}

const completeCommand: Command = {
  words: ['__complete'],
  summary: 'Print the candidates at the cursor',
  isHidden: true,
  spec: () => ({
    args: [createArgument('words', 'The words so far; the last one may be empty', { isRequired: false, isRest: true })],
    flags: [],
  }),
  run: async (session, texts) => (await import('./output/complete.ts')).complete(session, texts.get('words') ?? []),
}

export const CLIENT_COMMANDS: readonly Command[] = [
  loginCommand,
  logoutCommand,
  completionCommand,
  manualCommand,
  healthcheckCommand,
  completeCommand,
]
