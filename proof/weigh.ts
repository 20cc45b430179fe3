// Loaded into a server whose memory is observed (`node --import`): reports the memory in use after a full collection to
// its parent. It does not keep the process running.

import { answerQuestions, liveBytes } from './talk.ts'

answerQuestions({ weigh: liveBytes })
process.channel?.unref()
