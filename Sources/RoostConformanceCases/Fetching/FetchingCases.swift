// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// Everything that a request can ask.
enum FetchingCases {
  static let all: [ConformanceCase] =
    comparisons + strings + patterns + logic + relationships + functions + windows + options
    + results
    + groups + mixed + pending + pendingWindows + pendingReads + asynchronous + cancelling
    + oneState + computed + constants + repeated + pages + sql + selections + views
}
