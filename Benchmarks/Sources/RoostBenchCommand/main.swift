// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostBench

exit(BenchCommand.run(Array(CommandLine.arguments.dropFirst())))
