/** The review of an import: its questions, its rows with their results, and the import itself. */
import { Download } from 'lucide-react'
import { useEffect, useId, useMemo, useState } from 'react'
import type { ApplyResult } from '../../../../src/exchange/estate/api.ts'
import { toAppError } from '../../api/errors.ts'
import type { ResourceName } from '../../export/fields.ts'
import { save } from '../../export/save.ts'
import { usePermit } from '../../shell/me.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert, TextField } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { convertCells } from '../convert.ts'
import { type Draft, keepRows, listAll, withCells } from '../draft.ts'
import { getFormatName } from '../formats.ts'
import css from '../import.module.css'
import { Progress } from '../progress.tsx'
import { type Answer, getQuestionKey, withAnswers } from './answers.ts'
import { type Cell, CorrectDialog, fromTexts, toTexts } from './correct-dialog.tsx'
import type { Done } from './done-step.tsx'
import { IntoInbox } from './into-inbox.tsx'
import { landImport } from './land.ts'
import { Questions } from './questions.tsx'
import { formatRefused } from './refused.ts'
import { Report } from './report.tsx'
import { ReviewTable } from './review-table.tsx'
import { createLocator, listMessages, listReviewRows, type ReviewRow } from './rows.ts'
import { usePlan } from './use-plan.ts'

const NO_KEYS: ReadonlySet<string> = new Set()
const NO_MESSAGES: ReadonlyMap<string, readonly string[]> = new Map()

const formatOutcome = ({
  summary,
  changed,
  changes_total: total,
  changes,
  errors,
  failed_rows = {},
  extra,
}: ApplyResult): string[] => {
  const failed = Math.max(
    errors.length,
    Object.values(failed_rows).reduce((sum, { length }) => sum + length, 0),
  )
  return [
    ...(changed ? [`The import ${summary}. Nothing has been changed yet.`] : []),
    ...(!changed && failed === 0 ? ['There is nothing to do.'] : []),
    ...(total > changes.length ? [`The first ${formatCount(changes.length)} changes are marked.`] : []),
    ...(failed > 0 ? [`${plural(failed, 'row')} can’t be imported.`] : []),
    ...Object.entries(extra).map(
      ([resource, n]) => `${formatCount(n)} ${resource} of the same owner are not in the source, and stay.`,
    ),
  ]
}

const listCells = (draft: Draft, row: ReviewRow): Cell[] => {
  const { sheet } = draft
  if (sheet && (row.at === undefined || row.resource === sheet.resource)) {
    const { columns, rows, numbers } = sheet.cells
    const cells = rows[numbers.indexOf(row.number)] ?? []
    const count = Math.max(columns.length, cells.length)
    return Array.from({ length: count }, (_, at) => ({
      label: columns[at]?.name || `Column ${at + 1}`,
      value: cells[at] ?? '',
    }))
  }
  const stored = draft.documents[row.resource]?.[row.at ?? -1] ?? {}
  return toTexts(stored).map(([label, value]) => ({ label, value }))
}

type Props = {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly onDone: (done: Done) => void
  readonly onBack: () => void
  /** Returns to the columns of a spreadsheet. */
  readonly onColumns: (() => void) | undefined
}

export const ReviewStep = ({ draft, onDraft, onDone, onBack, onColumns }: Props) => {
  const { blockedNow } = usePermit()
  const { course, plan, apply, cancel } = usePlan()
  const { phase, plan: planned, error } = course
  const [owner, setOwner] = useState(String(draft.rules.managed_by ?? ''))
  const [answers, setAnswers] = useState<readonly Answer[]>([])
  const [unchecked, setUnchecked] = useState(NO_KEYS)
  const [refused, setRefused] = useState(NO_MESSAGES)
  const [correcting, setCorrecting] = useState<ReviewRow>()
  const [problem, setProblem] = useState<unknown>()
  const [isInbox, setInbox] = useState(false)
  const id = useId()
  const documents = useMemo(() => withAnswers(draft.documents, answers), [draft.documents, answers])
  const terms = { ...draft.rules, managed_by: owner.trim() }
  const whole = { ...documents, ...terms }
  const replan = () => {
    setRefused(NO_MESSAGES)
    plan(whole)
  }
  // Another owner is planned when it is confirmed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows decide about the plan
  useEffect(replan, [documents])
  const rows = useMemo(
    () => listReviewRows({ documents, sheet: draft.sheet, plan: planned, refused }),
    [documents, draft.sheet, planned, refused],
  )
  const included = rows.filter(({ key, verdict }) => verdict !== 'refused' && !unchecked.has(key))
  const bad = rows.filter(({ verdict }) => verdict === 'refused')
  const isCurrent = planned !== undefined && phase === 'idle'
  const lacking = planned?.lacking?.[0] === undefined ? undefined : blockedNow(planned.lacking[0])
  const go = () => {
    const keys = new Set(included.map(({ key }) => key))
    const part = keepRows(documents, (key) => keys.has(key))
    const isWhole = keys.size === listAll(documents).length && planned?.errors.length === 0
    apply(
      {
        document: { ...part.documents, ...terms },
        expect: isWhole ? planned?.fingerprint : undefined,
        onRefused: (result) => {
          const getAt = (resource: ResourceName, row: number) => part.places[resource]?.[row] ?? row
          setRefused(new Map([...refused, ...listMessages(result, getAt, createLocator(draft.sheet))]))
        },
        onDone: async ({ result, changeId }) => {
          await landImport(part.documents.devices, changeId, included.length)
          onDone({
            ...{ imported: included.length, total: rows.length, summary: result.summary, changeId },
            hasDevices: (part.documents.devices?.length ?? 0) > 0,
            refused: bad.length > 0 ? formatRefused({ ...draft, documents }, bad) : undefined,
          })
        },
      },
      whole,
    )
  }
  const correct = (row: ReviewRow, values: readonly string[]) => {
    const { sheet } = draft
    setProblem(undefined)
    if (sheet && (row.at === undefined || row.resource === sheet.resource)) {
      const cells = withCells(sheet, row.number, values)
      convertCells({ ...sheet, cells, name: draft.name }, new AbortController().signal).then(onDraft, setProblem)
      return
    }
    const list = documents[row.resource] ?? []
    const next = list.map((one, at) => (at === row.at ? fromTexts(one, values) : one))
    setAnswers([])
    onDraft({ ...draft, documents: { ...documents, [row.resource]: next } })
  }
  const downloadYaml = async () => {
    const { stringify } = await import('yaml')
    const text = stringify({ ...documents, ...draft.rules }, { lineWidth: 0, aliasDuplicateObjects: false })
    save(`${draft.format}.yaml`, 'application/yaml', text)
  }
  const downloadRefused = () => {
    const { name, type, text } = formatRefused({ ...draft, documents }, bad)
    save(name, type, text)
  }
  const shownError = error ?? problem
  return (
    <>
      <div className={tableCss.bar}>
        <b>
          {plural(rows.length, 'row')} of {draft.name}, read as {getFormatName(draft.format)}
        </b>
        <Button onClick={onBack} disabled={phase === 'applying'}>
          Start over
        </Button>
        {onColumns && (
          <Button onClick={onColumns} disabled={phase === 'applying'}>
            Columns
          </Button>
        )}
        <Button onClick={() => void downloadYaml()}>
          <Download size={14} aria-hidden="true" />
          Download as YAML
        </Button>
        {bad.length > 0 && (
          <Button onClick={downloadRefused}>
            <Download size={14} aria-hidden="true" />
            Download the refused rows
          </Button>
        )}
        {!isInbox && (
          <span className={tableCss.end}>
            {phase !== 'idle' && (
              <Progress
                label={phase === 'planning' ? 'Checking' : 'Importing'}
                progress={course.progress}
                onCancel={cancel}
              />
            )}
            {phase === 'idle' && !planned && (
              <Button look="primary" onClick={replan}>
                Check
              </Button>
            )}
            {isCurrent && (
              <Button
                look="primary"
                onClick={go}
                blocked={lacking}
                disabled={included.length === 0 || !planned.changed}
              >
                Import {formatCount(included.length)} of {formatCount(rows.length)}
              </Button>
            )}
          </span>
        )}
      </div>
      <div className={css.step}>
        {draft.hosts.length > 0 && (
          <fieldset className={css.into}>
            <legend>Into</legend>
            {[false, true].map((one) => (
              <label key={String(one)} htmlFor={`${id}-${one}`}>
                <input
                  id={`${id}-${one}`}
                  type="radio"
                  name={id}
                  checked={isInbox === one}
                  onChange={() => setInbox(one)}
                />{' '}
                {one ? 'The inbox' : 'The inventory'}
              </label>
            ))}
          </fieldset>
        )}
        {isInbox ? (
          <IntoInbox hosts={draft.hosts} />
        ) : (
          <>
            {shownError !== undefined && <Alert>{toAppError(shownError).message}</Alert>}
            {planned && (
              <p role="status" className={bad.length > 0 ? css.bad : css.good}>
                {formatOutcome(planned).join(' ')}
              </p>
            )}
            <Questions
              questions={planned?.unresolved ?? []}
              answers={answers}
              onAnswer={(answer) => setAnswers([...answers, answer])}
              onAsk={({ question }) => {
                const key = getQuestionKey(question)
                setAnswers(answers.filter((one) => getQuestionKey(one.question) !== key))
              }}
            />
            <Report draft={draft} />
            <details className={css.more}>
              <summary>Managed by: {owner.trim() === '' ? 'none' : owner.trim()}</summary>
              <form
                className={css.owner}
                onSubmit={(event) => {
                  event.preventDefault()
                  replan()
                }}
              >
                <TextField
                  label="Managed by"
                  hint="The owner of these objects, if they are imported again and again. It may be empty."
                  value={owner}
                  onChange={setOwner}
                  disabled={phase !== 'idle'}
                />
                <Button type="submit" disabled={phase !== 'idle'}>
                  Check again
                </Button>
              </form>
            </details>
            <ReviewTable
              rows={rows}
              unit={draft.sheet?.cells.unit ?? 'row'}
              isPlanned={planned !== undefined}
              unchecked={unchecked}
              onUnchecked={setUnchecked}
              onCorrect={setCorrecting}
            />
          </>
        )}
      </div>
      {correcting && (
        <CorrectDialog
          title={`Correct ${correcting.name || `row ${correcting.number}`}`}
          messages={correcting.messages}
          cells={listCells({ ...draft, documents }, correcting)}
          onSave={(values) => correct(correcting, values)}
          onClose={() => setCorrecting(undefined)}
        />
      )}
    </>
  )
}
