/** Finds the processes of templates. Linux only. */
import { findChildren, runsCommand } from '../../base/child/testing/children.ts'

const COMMAND = 'template-child'

export const isTemplateChild = (pid: number): boolean => runsCommand(pid, COMMAND)

/** Returns the ids of the processes of templates that this process has started. */
export const templateChildren = (): number[] => findChildren(COMMAND)
