/** Names that mean no object or several: each is asked once, for all rows that have it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/client.ts'
import type { ResourceName } from '../../export/fields.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { plural } from '../../ui/format.ts'
import css from '../import.module.css'
import {
  type Answer,
  buildCreated,
  type Choice,
  formatAnswer,
  formatQuestion,
  getQuestionKey,
  isOwnName,
  type Question,
} from './answers.ts'

/** The most objects that are offered, and the completions that are shown. */
const MOST = 1000
const SHOWN = 50

type Candidate = Question['candidates'][number]

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Loads the objects that a name may mean, if none has that name. */
const loadCandidates = async (resource: ResourceName): Promise<Candidate[]> => {
  const response = await request(`/api/${resource}?limit=${MOST}`, {})
  // A list of objects, each with an id.
  const objects = (await response.json()) as readonly Readonly<Record<string, unknown>>[]
  return objects.map(({ id, name, manufacturer, model, subnet, location }) => ({
    id: String(id),
    name: isText(name) ? name : [manufacturer, model].filter(isText).join(' '),
    note: [subnet, location].filter(isText).join(', '),
  }))
}

type QuestionProps = { readonly question: Question; readonly onChoose: (choice: Choice) => void }

const Ask = ({ question, onChoose }: QuestionProps) => {
  const { to, rows, candidates } = question
  const { may } = usePermit()
  const [text, setText] = useState<string>()
  const isUnknown = candidates.length === 0
  const { data = [] } = useQuery({
    queryKey: ['import-candidates', to],
    queryFn: () => loadCandidates(to),
    enabled: isUnknown && text !== undefined && may(`${to}:list`),
  })
  const words = (text ?? '').trim().toLowerCase()
  const options = (isUnknown ? data : candidates)
    .filter(({ name, note }) => `${name} ${note}`.toLowerCase().includes(words))
    .slice(0, SHOWN)
  return (
    <li className={css.question}>
      <div className={css.choices}>
        <Combobox
          label={formatQuestion(question)}
          hint={`In ${plural(rows, 'row')}.`}
          listLabel="Objects"
          value=""
          placeholder="Choose"
          options={options.map(({ id, name, note }) => ({
            id,
            text: name,
            note: <span className="muted">{note}</span>,
          }))}
          onType={setText}
          onChoose={({ id, text: name }) => onChoose({ kind: 'use', id, name })}
          none="No object has this name."
        />
        {isUnknown && !isOwnName(question) && buildCreated(question) && (
          <Button onClick={() => onChoose({ kind: 'create' })} aria-label={`Create it: ${question.text}`}>
            Create it
          </Button>
        )}
        {!isOwnName(question) && (
          <Button look="quiet" onClick={() => onChoose({ kind: 'empty' })} aria-label={`Leave empty: ${question.text}`}>
            Leave empty
          </Button>
        )}
      </div>
    </li>
  )
}

type Props = {
  readonly questions: readonly Question[]
  readonly answers: readonly Answer[]
  readonly onAnswer: (answer: Answer) => void
  /** Takes an answer back. */
  readonly onAsk: (answer: Answer) => void
}

export const Questions = ({ questions, answers, onAnswer, onAsk }: Props) => {
  const answered = new Set(answers.map(({ question }) => getQuestionKey(question)))
  const open = questions.filter((question) => !answered.has(getQuestionKey(question)))
  if (open.length + answers.length === 0) return null
  return (
    <ul className={css.questions} aria-label="Questions">
      {open.map((question) => (
        <Ask key={getQuestionKey(question)} question={question} onChoose={(choice) => onAnswer({ question, choice })} />
      ))}
      {answers.map((answer) => (
        <li key={getQuestionKey(answer.question)} className={css.question}>
          <span className="muted">{formatAnswer(answer)}</span>
          <Button look="quiet" onClick={() => onAsk(answer)} aria-label={`Change: ${answer.question.text}`}>
            Change
          </Button>
        </li>
      ))}
    </ul>
  )
}
