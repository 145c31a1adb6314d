// SPDX-License-Identifier: Apache-2.0

@_exported public import RoostConformanceCases
@_exported public import RoostConformanceKit
@_exported public import RoostSimulation
