/** Loads all commands of a program, which takes most of a start. */
import type { Command, Program } from './command.ts'

export const loadCommands = async (program: Program): Promise<Command[]> => {
  const [contracts, { listCommands }, extended = []] = await Promise.all([
    program.contracts(),
    import('./operation-commands.ts'),
    program.extended?.(),
  ])
  return listCommands(contracts, [...program.specials, ...extended])
}
