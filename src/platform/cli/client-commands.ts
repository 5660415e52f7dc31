/** The hand-written commands of the client: sign-in, completion, the manual, and a question to the server's health. What they do is loaded when they run. */
import { argument, type Command, flag, textOf } from './command.ts'
import { completionScript, SHELLS } from './completion.ts'
import { usageError } from './usage-error.ts'

const loginCommand: Command = {
  words: ['login'],
  summary: 'Sign in and keep an API key for this machine',
  description: 'Asks for what is not given. The key is stored in the config directory, readable by nobody else.',
  spec: () => ({
    args: [],
    flags: [
      flag('username', 'Who signs in', { hint: 'NAME' }),
      flag('name', 'What to call the key', { hint: 'KEYNAME' }),
      flag('password-stdin', 'Read the password from standard input'),
    ],
  }),
  run: async (session, texts) => (await import('./login.ts')).login(session, texts),
}

const logoutCommand: Command = {
  words: ['logout'],
  summary: 'Delete the API key of plat login, here and on the server',
  spec: () => ({ args: [], flags: [flag('local', 'Only forget it here')] }),
  run: async (session, texts) => (await import('./login.ts')).logout(session, texts),
}

const completionCommand: Command = {
  words: ['completion'],
  summary: 'Print the completion script of a shell',
  description:
    'bash: source <(plat completion bash)   zsh: source <(plat completion zsh)   fish: plat completion fish | source',
  spec: () => ({ args: [argument('shell', '', { choices: SHELLS })], flags: [] }),
  run: async ({ io }, texts) => {
    const shell = SHELLS.find((one) => one === textOf(texts, 'shell'))
    if (!shell) throw usageError(`SHELL must be one of ${SHELLS.join(', ')}`)
    await io.stdout.write(completionScript(shell))
    return 0
  },
}

const manualCommand: Command = {
  words: ['manual'],
  summary: 'Print the manual page of every command and setting',
  description: 'plat manual | man -l -',
  spec: () => ({ args: [], flags: [] }),
  run: async ({ io, program }) => {
    const [contracts, { allCommands }, { manualPage }] = await Promise.all([
      program.contracts(),
      import('./operation-commands.ts'),
      import('./manual.ts'),
    ])
    await io.stdout.write(manualPage(allCommands(contracts, program.specials), program.version))
    return 0
  },
}

const healthcheckCommand: Command = {
  words: ['healthcheck'],
  summary: 'Tell by the exit code whether the server answers, for what watches over it',
  description: 'Asks the server at PLAT_URL, or else the one of this machine at LISTEN_ADDR. Needs no key.',
  spec: () => ({ args: [], flags: [flag('ready', 'Whether it can do its work, not only whether it answers')] }),
  run: async (session, texts) => (await import('./healthcheck.ts')).healthcheck(session, texts),
}

const completeCommand: Command = {
  words: ['__complete'],
  summary: 'Print what may stand at the cursor',
  isHidden: true,
  spec: () => ({
    args: [argument('words', 'The words so far; the last one may be empty', { isRequired: false, isRest: true })],
    flags: [],
  }),
  run: async (session, texts) => (await import('./complete.ts')).complete(session, texts.get('words') ?? []),
}

export const CLIENT_COMMANDS: readonly Command[] = [
  loginCommand,
  logoutCommand,
  completionCommand,
  manualCommand,
  healthcheckCommand,
  completeCommand,
]
