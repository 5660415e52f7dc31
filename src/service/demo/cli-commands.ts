/** `plat demo`, the short form of `plat demo load`. It loads its code when it runs. */
import { type Command, createFlag, getText } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

/** The flags of an earlier `plat demo`, which generated objects. */
const GONE = ['devices', 'seed']

export const demoCommands: readonly Command[] = [
  {
    words: ['demo'],
    summary: 'Load the demo, as "plat demo load"',
    isHidden: true,
    isPrefix: true,
    spec: () => ({
      args: [],
      flags: [
        createFlag('force', 'Loads it beside the other objects of the inventory'),
        ...GONE.map((name) => createFlag(name, 'No longer known', { hint: 'NUMBER' })),
      ],
    }),
    run: async (session, texts) => {
      const gone = GONE.find((name) => getText(texts, name) !== undefined)
      if (gone !== undefined)
        throw createUsageError(`--${gone} is gone: "plat demo load" loads a demo of one size, always the same`)
      return (await import('./cli-load.ts')).load(session, texts)
    },
  },
]
