/** Runs `plat demo` as the command of its operation. */
import { execute } from '../../surfaces/cli/execute.ts'
import type { Session, Texts } from '../../surfaces/cli/parse/command.ts'
import { buildSpec } from '../../surfaces/cli/parse/operation-spec.ts'
import { demo } from './api.ts'

export const load = (session: Session, texts: Texts): Promise<number> =>
  execute(session, { op: demo.load, spec: buildSpec(demo.load), texts })
