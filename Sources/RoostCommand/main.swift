// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandKit
import RoostCommandLine

exit(RoostProgram.run(Array(CommandLine.arguments.dropFirst()), .standard))
